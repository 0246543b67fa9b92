import { randomUUID } from "node:crypto";
import { type Config, subnetOf } from "@frontdesk/lease-config/config";
import { poolOf6 } from "@frontdesk/lease-config/config6";
import type { HaConfig } from "@frontdesk/lease-config/ha-config";
import { formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import type { HaAnswer, WorkerStart } from "./calls.ts";
import type { Dhcp4 } from "./dhcp4/dhcp4.ts";
import { Dhcp6, type Dhcp6Parts } from "./dhcp6/dhcp6.ts";
import type { Command } from "./ha/commands.ts";
import { newDurable, type Settings } from "./ha/core-state.ts";
import { decodeDetails, decodeDetails6, encodeDetails, encodeDetails6 } from "./ha/lease-details.ts";
import type { LinkPort } from "./ha/link.ts";
import type { HaStatus } from "./ha/status.ts";
import type { Conflict } from "./ha/turn.ts";
import type { Address } from "./leases/binding.ts";
import type { Engine, EngineLog } from "./loop/engine.ts";
import type { EngineClock } from "./loop/engine-clock.ts";
import { PairNode } from "./loop/pair-node.ts";
import { pairPlanOf } from "./pair-plan.ts";
import type { SqliteStore } from "./store/sqlite-store.ts";

/**
 * DHCPv6 as it is served, and as its leases are kept: a node of a pair keeps also those of a family that only its peer
 * serves, so that it knows them when it serves that family again.
 */
export function dhcp6Of(parts: Dhcp6Parts, isPaired: boolean): Record<"served" | "kept", Dhcp6 | undefined> {
  const served = parts.config.dhcpv6Enabled ? new Dhcp6(parts) : undefined;
  return { served, kept: served ?? (isPaired ? new Dhcp6(parts) : undefined) };
}

/** The pair of the packet worker. */
export function pairOf(
  start: NonNullable<WorkerStart["pair"]>,
  config: Config,
  ha: HaConfig,
  parts: Pick<PairComposition, "service" | "store" | "dhcp4" | "dhcp6" | "clock" | "log">,
  link: LinkPort,
  servers: readonly string[],
): PairNode {
  const settings: Settings = {
    node: start.node,
    role: start.role,
    mode: ha.mode,
    identity: config.identity,
    lead: ha.maxLead,
    skew: ha.maxClockSkew,
    contactTimeout: ha.contactTimeout,
    partnerDownAfter: ha.partnerDownAfter,
    share: ha.share / 100,
    servers,
  };
  const { log } = parts;
  const onConflict = ({ address }: Conflict) => {
    log.error(
      { address: textOf(address) },
      "two clients were given one address; one of them is told to leave it",
    );
  };
  return composePair({ ...parts, settings, config, link, onConflict });
}

const textOf = (address: Address) =>
  typeof address === "number" ? formatIpv4(address) : formatIpv6(address);

/** The state of the pair for people. */
export function pairStatus(pair: PairNode, engine: Engine, config: Config): HaStatus {
  const { pools, ...told } = engine.rehearse((batch) => pair.status(batch));
  const subnet = (address: Address) =>
    (typeof address === "number"
      ? subnetOf(config, address)
      : poolOf6(config.v6.sortedPools, address)?.subnet
    )?.name;
  return {
    ...told,
    pools: pools.map(({ first, last, ...counts }) => ({
      subnet: subnet(first) ?? "",
      pool: `${textOf(first)} - ${textOf(last)}`,
      ...counts,
    })),
  };
}

export function pairCommand(pair: PairNode, engine: Engine, command: Command): HaAnswer {
  const done = engine.run(() => pair.command(command));
  if (!done.saved) return "not_saved";
  return done.value === undefined ? { done: true } : { refused: done.value };
}

export interface PairComposition {
  readonly settings: Settings;
  readonly config: Config;
  /** A hash of what clients are told. */
  readonly service: string;
  readonly store: SqliteStore;
  readonly dhcp4: Dhcp4;
  readonly dhcp6?: Dhcp6 | undefined;
  readonly link: LinkPort;
  readonly clock: EngineClock;
  readonly log: EngineLog;
  /** Two clients were given one address. */
  readonly onConflict: (conflict: Conflict) => void;
}

/** Puts one of a pair of servers together. */
export function composePair(parts: PairComposition): PairNode {
  const { settings, config, service, store, dhcp4, dhcp6, link, clock, log, onConflict } = parts;
  const durable = store.pair.durable() ?? newDurable(randomUUID(), settings.lead, store.pair.epoch);
  const shift = () => Math.round(clock.offset / 1000);
  const v4 = dhcp4.paired({
    encode: (lease) => encodeDetails(lease, shift()),
    decode: (details) => decodeDetails(details, shift()),
    leasesAfter: (address, limit) => store.leasesAfter(address, limit),
    pairs: () => store.pair.pairs(),
    cleared: {
      find: (address) => store.cleared.find(address),
      first: (limit) => store.cleared.first(limit),
      clientOf: (address) => store.cleared.clientOf(address),
      forget: (told, gone) => store.forgetCleared(told, gone),
    },
  });
  const v6 = dhcp6?.paired({
    encode: (lease) => encodeDetails6(lease, shift()),
    decode: (details) => decodeDetails6(details, shift()),
    leasesAfter: (address, limit) => store.leasesAfter6(address, limit),
    pairs: () => store.pair.pairs6(),
    cleared: {
      find: (address) => store.cleared.find6(address),
      first: (limit) => store.cleared.first6(limit),
      clientOf: (address) => store.cleared.clientOf(address),
      forget: (told, gone) => store.forgetCleared(told, gone),
    },
  });
  return new PairNode(
    {
      settings,
      durable,
      plan: pairPlanOf(config, service),
      families: { v4, v6 },
      link,
      log,
      devices: store,
      hasCleared: () => !store.cleared.isEmpty,
      keptOffset: store.clock().offset,
      utc: () => clock.utc(),
      raiseReplay: (to) => clock.raiseReplay(to),
      elapsed: () => performance.now(),
      onConflict,
    },
    clock.now(),
  );
}
