import type { Config, Pool } from "@frontdesk/lease-config/config";
import { textBytes } from "@frontdesk/lease-options/address";
import { concat } from "@frontdesk/lease-options/option-types";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { COUNTERS } from "../counter-names.ts";
import { planOf } from "../dhcp4/address-plan.ts";
import { Dhcp6 } from "../dhcp6/dhcp6.ts";
import { codesOf, type Explanation6, linkLayer, solicit } from "../dhcp6/explain.ts";
import type { RelayHop } from "../dhcp6/message.ts";
import type { Option6 } from "../dhcp6/options.ts";
import { readPath } from "../dhcp6/reconfigure.ts";
import { ipv4 } from "../leases/address-family.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import { isPrefix, type StoredLease6 } from "../leases/lease6-record.ts";
import { PendingLeases } from "../leases/pending-leases.ts";
import { Batch } from "../loop/batch.ts";
import { Counters } from "../loop/counters.ts";
import type { LeaseStore6 } from "../loop/lease-store.ts";
import type { InterfaceState } from "../loop/network.ts";
import type { Ingress6 } from "../loop/wire.ts";

export interface RehearsalParts6 {
  readonly store: LeaseStore6;
  readonly interfaces: readonly InterfaceState[];
  /** Seconds of the engine's clock. */
  readonly now: number;
}

/** What one client would get. */
export type Rehearse6 = (client: StoredLease6) => Explanation6;

const OFF: Explanation6 = { outcome: "dhcpv6-off", steps: [], reply: undefined };
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const CLIENT_PORT = 546;
const SERVER_PORT = 547;

/**
 * The decisions of DHCPv6 under a configuration that need not run. All clients ask in one batch, which is never
 * written: what one is offered is gone for the next.
 */
export function createRehearsal6(config: Config, { store, interfaces, now }: RehearsalParts6): Rehearse6 {
  if (!config.v6.enabled) return () => OFF;
  const dhcp6 = new Dhcp6({
    config,
    version: "",
    clock: { now: () => now * 1000 },
    store,
    wire: { ownAddresses6: () => interfaces.flatMap(({ addresses6 = [] }) => [...addresses6]) },
    counters: new Counters(COUNTERS),
    random: (size) => new Uint8Array(size),
    log: SILENT,
  });
  const none = new LeaseTable<number, Pool>(ipv4, planOf(config, new Set()), now, 0);
  const batch = new Batch(
    new PendingLeases(none),
    { find: () => undefined },
    { now: now * 1000, offset: 0, replay: now * 1000 },
  );
  const codes = codesOf(config);
  return (client) => {
    const { duid, iaid, vendor } = client;
    const path = readPath(client.relays);
    const asking = { duid, iaid, prefix: isPrefix(client), more: vendorClass(vendor) };
    const packet = solicit(asking, path ? withHardware(path.hops, client) : [], codes);
    return dhcp6.explainPacket(packet, ingressOf(config, client, path?.relay, interfaces), batch);
  };
}

/** The relay next to the client says what its hardware is; the way back does not repeat it. */
const withHardware = (hops: readonly RelayHop[], { mac }: StoredLease6): RelayHop[] =>
  hops.map((hop, i) =>
    i < hops.length - 1 || mac.length === 0 ? hop : { ...hop, options: [...hop.options, ...linkLayer(mac)] },
  );

/** RFC 9915 section 21.16. Whose number it came with is not kept. */
function vendorClass(vendor: string | null): Option6[] {
  if (vendor === null) return [];
  const text = textBytes(vendor);
  const header = Uint8Array.of(0, 0, 0, 0, text.length >> 8, text.length & 255);
  return [{ code: CODE6.vendorClass, value: concat([header, text]) }];
}

function ingressOf(
  config: Config,
  client: StoredLease6,
  relay: bigint | undefined,
  interfaces: readonly InterfaceState[],
): Ingress6 {
  const lab = config.listen6.length > 0;
  const isServed = config.interfaces.includes(client.interface ?? "");
  const served = isServed ? interfaces.find(({ name }) => name === client.interface) : undefined;
  return {
    interfaceName: lab ? "lab" : (served?.name ?? ""),
    addresses: served?.addresses6 ?? [],
    sourceAddress: relay ?? client.peer,
    sourcePort: relay === undefined ? CLIENT_PORT : SERVER_PORT,
    unicast: lab,
    lab,
  };
}
