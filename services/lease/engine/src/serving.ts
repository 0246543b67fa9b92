import type { Config } from "@frontdesk/lease-config/config";
import type { WorkerStart } from "./calls.ts";
import { Dhcp4, type Dhcp4Parts } from "./dhcp4/dhcp4.ts";
import type { Dhcp6, Dhcp6Parts } from "./dhcp6/dhcp6.ts";
import { unpaired } from "./ha/failover.ts";
import { RingPort } from "./ha/link-port.ts";
import { namesOf } from "./ha/server-names.ts";
import { Engine } from "./loop/engine.ts";
import type { Network } from "./loop/network.ts";
import type { PairNode } from "./loop/pair-node.ts";
import { dhcp6Of, pairOf } from "./pair.ts";
import type { SqliteStore } from "./store/sqlite-store.ts";

export interface ServingParts extends Dhcp4Parts, Omit<Dhcp6Parts, keyof Dhcp4Parts> {
  readonly config: Config;
  /** A hash of what clients are told. */
  readonly service: string;
  readonly store: SqliteStore;
  readonly wire: Network;
}

/** What decides for clients. It is made again when a node that was started before it was paired becomes one of a pair. */
export interface Serving {
  readonly dhcp4: Dhcp4;
  readonly dhcp6: Dhcp6 | undefined;
  /** Also where DHCPv6 is served by the peer alone. */
  readonly dhcp6Kept: Dhcp6 | undefined;
  readonly pair: PairNode | undefined;
  readonly link: RingPort | undefined;
  readonly engine: Engine;
  /** What clients and the peer know this server by. */
  serverNames(): string[];
}

export function composeServing(parts: ServingParts, pairing: WorkerStart["pair"]): Serving {
  const { config, store, wire, clock, log } = parts;
  // A server without a peer forgets that it had one: what it gives, the peer cannot know.
  if (!config.ha) store.leavePair();
  const dhcp4 = new Dhcp4(parts);
  const { served: dhcp6, kept: dhcp6Kept } = dhcp6Of(parts, config.ha !== undefined);
  const link = pairing && new RingPort(pairing.memory);
  const serverNames = () =>
    namesOf({
      v4: [...wire.ownAddresses()],
      v6: [...(wire.ownAddresses6?.() ?? [])],
      duid: dhcp6 && store.serverIdentity().duid,
    });
  const keeping = { service: parts.service, store, dhcp4, dhcp6: dhcp6Kept, clock, log };
  const pair =
    config.ha && pairing && link
      ? pairOf(pairing, config, config.ha, keeping, link, serverNames())
      : undefined;
  const rights = pair ? { pair } : config.ha ? { failover: unpaired } : {};
  const engine = new Engine({ ...parts, ...rights }, dhcp4, dhcp6);
  return { dhcp4, dhcp6, dhcp6Kept, pair, link, engine, serverNames };
}
