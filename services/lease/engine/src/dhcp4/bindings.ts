import type { Config } from "@frontdesk/lease-config/config";
import { type Binding, STATE } from "../leases/binding.ts";
import type { LeaseBrief } from "../leases/lease-record.ts";
import { portOf } from "./begin.ts";
import { identityOf } from "./identify.ts";
import { relayDigestOf } from "./lease-details.ts";

const NOBODY = new Uint8Array(0);

/** Leases as the table holds them. */
export function* bindingsOf(config: Config, leases: Iterable<LeaseBrief>): Generator<Binding<number>> {
  for (const lease of leases) yield bindingOf(config, lease);
}

export function bindingOf(config: Config, lease: LeaseBrief): Binding<number> {
  const { ip, state, htype, mac, clientId, starts, until, told, digest, giaddr, circuitId, relayAgent } =
    lease;
  const known = state === STATE.declined ? undefined : identityOf(config, htype, mac, clientId);
  const port = portOf(
    giaddr,
    { circuitId: circuitId ?? undefined },
    { interfaceName: lease.interface ?? "" },
  );
  const relayDigest = relayDigestOf(relayAgent);
  return { address: ip, identity: known ?? NOBODY, state, starts, until, port, told, digest, relayDigest };
}
