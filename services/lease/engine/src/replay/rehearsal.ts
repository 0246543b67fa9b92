import type { Config } from "@frontdesk/lease-config/config";
import { parseIpv4, textBytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";
import { planOf } from "../dhcp4/address-plan.ts";
import { bindingsOf } from "../dhcp4/bindings.ts";
import type { View } from "../dhcp4/exchange.ts";
import { type Explanation, explain } from "../dhcp4/explain.ts";
import { identityOf } from "../dhcp4/identify.ts";
import { single } from "../ha/failover.ts";
import { ipv4 } from "../leases/address-family.ts";
import { STATE } from "../leases/binding.ts";
import type { LeaseBrief, StoredLease } from "../leases/lease-record.ts";
import { LeaseTable } from "../leases/lease-table.ts";
import { PendingLeases } from "../leases/pending-leases.ts";
import type { InterfaceState } from "../loop/network.ts";
import type { Ingress } from "../loop/wire.ts";

export interface RehearsalParts {
  readonly leases: { all(): Iterable<LeaseBrief>; find(ip: number): StoredLease | undefined };
  readonly interfaces: readonly InterfaceState[];
  /** Seconds of the engine's clock. */
  readonly now: number;
}

/** What one client would get. */
export type Rehearse = (client: StoredLease) => Explanation;

/**
 * The engine's decisions under a configuration that need not run, on a table of its own. Clients ask one after the
 * other: what one is offered is gone for the next.
 */
export function createRehearsal(config: Config, { leases, interfaces, now }: RehearsalParts): Rehearse {
  const ours = new Set(interfaces.flatMap(({ addresses }) => [...addresses]));
  // Hashed the same way for each configuration: where both leave the choice open, both choose the same.
  const table = new LeaseTable(ipv4, planOf(config, ours), now, 0);
  for (const binding of bindingsOf(config, leases.all())) table.put(binding);
  const view = (): View => ({
    now,
    replay: now * 1000,
    config,
    leases: new PendingLeases(table),
    record: (ip) => leases.find(ip),
    isOurs: (address) => ours.has(address),
    isPeers: () => false,
    probedFor: () => undefined,
    hasAnswered: () => false,
    declinesOf: () => 0,
    isChurning: () => false,
    isContested: () => false,
    failover: single,
    random: (size) => new Uint8Array(size),
    trail: undefined,
  });
  return (client) => {
    const query = { mac: client.mac, giaddr: client.giaddr, options: saidBy(client) };
    const told = explain(query, ingressOf(config, client, interfaces), view());
    const address = told.reply && parseIpv4(told.reply.ip);
    if (address !== undefined && table.find(address)?.state !== STATE.bound) {
      const identity = identityOf(config, client.htype, client.mac, client.clientId) ?? client.mac;
      const until = now + config.offerTime;
      const untold = { starts: 0, told: 0, digest: 0, relayDigest: 0 };
      table.put({ address, identity, state: STATE.offered, until, port: "", ...untold });
    }
    return told;
  };
}

/** What is kept of what a client and its relay said. */
function saidBy({ clientId, hostname, vendor, relayAgent }: StoredLease): Options {
  const options: Options = new Map();
  if (clientId) options.set(CODE.clientIdentifier, clientId);
  if (hostname) options.set(CODE.hostName, textBytes(hostname));
  if (vendor) options.set(CODE.vendorClass, textBytes(vendor));
  if (relayAgent) options.set(CODE.relayAgent, relayAgent);
  return options;
}

function ingressOf(config: Config, client: StoredLease, interfaces: readonly InterfaceState[]): Ingress {
  const lab = config.listen[0];
  const common = { sourceAddress: client.giaddr, sourcePort: 68, unicast: client.giaddr !== 0 };
  if (lab) {
    return { ...common, interfaceName: "lab", addresses: [parseIpv4(lab.host) ?? 0], lab: true };
  }
  const name = client.interface ?? "";
  const isServed = config.interfaces.includes(name);
  const addresses = (isServed && interfaces.find((each) => each.name === name)?.addresses) || [];
  return { ...common, interfaceName: name, addresses, lab: false };
}
