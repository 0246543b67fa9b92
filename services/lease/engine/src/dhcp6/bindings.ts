import type { Binding } from "../leases/binding.ts";
import { STATE } from "../leases/binding.ts";
import type { Lease6Brief } from "../leases/lease6-record.ts";
import { portOf6 } from "./begin.ts";
import { identityOf, typeOfLength } from "./identity.ts";

const NOBODY = new Uint8Array(0);

/** A lease as the table holds it. */
export function bindingOf6(lease: Lease6Brief): Binding<bigint> {
  const { address, length, state, duid, iaid, starts, until, told, digest, link, interfaceId } = lease;
  const { earlierLength, earlierUntil } = lease;
  // Also when a quarantine is over, nobody had it.
  const isNobody = state === STATE.declined || duid.length === 0;
  const identity = isNobody ? NOBODY : identityOf(typeOfLength(length), iaid, duid);
  const relay = { interfaceId: interfaceId ?? undefined };
  const port = portOf6(link, relay, { interfaceName: lease.interface ?? "" });
  const common = { address, length, identity, state, starts, until, port, told, digest, relayDigest: 0 };
  return earlierLength > 0 ? { ...common, earlier: { length: earlierLength, until: earlierUntil } } : common;
}
