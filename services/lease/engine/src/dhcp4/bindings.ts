import type { Config } from "@frontdesk/lease-config/config";
import { type Binding, isFree, STATE } from "../leases/binding.ts";
import type { LeaseBrief } from "../leases/lease-record.ts";
import { portOf } from "./begin.ts";
import { identityOf } from "./identify.ts";

const NOBODY = new Uint8Array(0);

/** Leases as the table holds them. What is free comes last, in the order its time ended, not in that of the addresses. */
export function* bindingsOf(config: Config, leases: Iterable<LeaseBrief>): Generator<Binding<number>> {
  const free: Binding<number>[] = [];
  for (const lease of leases) {
    const binding = bindingOf(config, lease);
    if (isFree(binding.state)) free.push(binding);
    else yield binding;
  }
  yield* free.sort((a, b) => a.until - b.until);
}

function bindingOf(config: Config, lease: LeaseBrief): Binding<number> {
  const { ip, state, htype, mac, clientId, starts, until, told, digest, giaddr, circuitId } = lease;
  const known = state === STATE.declined ? undefined : identityOf(config, htype, mac, clientId);
  const port = portOf(
    giaddr,
    { circuitId: circuitId ?? undefined },
    { interfaceName: lease.interface ?? "" },
  );
  return { address: ip, identity: known ?? NOBODY, state, starts, until, port, told, digest };
}
