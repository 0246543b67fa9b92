import { randomFillSync } from "node:crypto";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { StartProblem } from "@frontdesk/kit/problem";
import { type Config, type Pool, subnetOf } from "@frontdesk/lease-config/config";
import { type Pool6, subnetOf6 } from "@frontdesk/lease-config/config6";
import { configOf, readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import type {
  CallName,
  Calls,
  FromWorker,
  Level,
  PoolStatus,
  SeenLease,
  ToWorker,
  WorkerStart,
} from "./calls.ts";
import { COUNTERS } from "./counter-names.ts";
import { namePolicy } from "./ddns/naming.ts";
import { isDiscover } from "./dhcp4/is-discover.ts";
import { isSolicit } from "./dhcp6/is-solicit.ts";
import { leaseText } from "./dhcp6/sentences.ts";
import { type Holder, leaseVersion } from "./lease-version.ts";
import { type AnyForeignLease, isForeign6 } from "./leases/foreign-lease.ts";
import { PoolForecast } from "./leases/pool-forecast.ts";
import type { PoolUse } from "./leases/pool-use.ts";
import { Admission } from "./loop/admission.ts";
import type { Batch } from "./loop/batch.ts";
import { Counters } from "./loop/counters.ts";
import { DeviceNetwork } from "./loop/device-network.ts";
import type { EngineLog } from "./loop/engine.ts";
import { EngineClock, systemTime } from "./loop/engine-clock.ts";
import { LabNetwork } from "./loop/lab-network.ts";
import type { InterfaceState, Network } from "./loop/network.ts";
import type { Standing } from "./loop/pair-standing.ts";
import { noteDevice } from "./note-device.ts";
import { pairCommand, pairStatus } from "./pair.ts";
import { pairPlanOf, reloaded } from "./pair-plan.ts";
import { composeServing, type Serving } from "./serving.ts";
import { SqliteStore } from "./store/sqlite-store.ts";

const PRUNE_EVERY_MS = 200;
const DAY_MS = 86_400_000;
/** More than this between the clocks is told at a start. */
const MAX_DRIFT_SECONDS = 2;
const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

const port = parentPort as MessagePort;
const start = workerData as WorkerStart;
const tell = (message: FromWorker) => port.postMessage(message);

/** The composition of the packet thread: store, engine, network, and the calls from outside. */
async function serve(): Promise<void> {
  const startedAt = performance.now();
  const counters = new Counters(COUNTERS, start.counters);
  const config = readConfig(start.configText);
  const onSendError = () => counters.add("send_errors");
  const { sockets } = start;
  const network: Network = sockets
    ? new DeviceNetwork(sockets, start.wake, onSendError)
    : await LabNetwork.open(config.listen, onSendError, config.dhcpv6Enabled ? config.listen6 : []);
  const store = new SqliteStore(start.storePath);
  // Before anything is committed: a lease that ends takes its name along.
  store.names.begin(namePolicy(config));
  const kept = store.clock();
  const clock = new EngineClock(systemTime, kept);
  // The protocol may have something to tell while it is being made.
  let serving: Serving | undefined;
  const configNow = () => serving?.dhcp4.config ?? config;
  const log = relayedLog(configNow);
  const random = randomBytes();
  let { service } = start;
  const compose = (pairing: WorkerStart["pair"], version: string) => {
    const { ha } = config;
    const parts = { clock, store, wire: network, counters, log, random, version, service };
    return composeServing({ ...parts, config: { ...configNow(), ha } }, pairing);
  };
  let now = compose(start.pair, start.version);
  serving = now;
  const seconds = (kept.offset - clock.offset) / 1000;
  if (Math.abs(seconds) > MAX_DRIFT_SECONDS) {
    log.warn(
      { seconds },
      "the wall clock was set while the engine was stopped, or is wrong; leases keep their time",
    );
  }
  counters.set("clock_offset_seconds", clock.offset / 1000);

  const forecast = new PoolForecast();
  const countPools = () => {
    const { dhcp4, dhcp6 } = now;
    const [uses, uses6] = [dhcp4.leases.uses(), dhcp6?.leases.uses() ?? []];
    const pools6 = dhcp6?.config.v6.pools ?? [];
    return new Map([
      ...dhcp4.config.pools.map((pool) => [poolKey(pool), uses[pool.index] as PoolUse] as const),
      ...pools6.map((pool) => [poolKey(pool), uses6[pool.index] as PoolUse] as const),
    ]);
  };
  let interfaces: readonly InterfaceState[] = [];
  /** They have or had an address inside a subnet of IPv6. */
  const servedByAddress6 = new Set<string>();
  const servesClients = () => interfaces.length === 0 || interfaces.some(({ hasCarrier }) => hasCarrier);
  const beginPair = (pairing: Calls["beginPair"]["ask"]): true => {
    now = compose(pairing, now.dhcp4.version);
    serving = now;
    now.engine.servesClients = servesClients();
    calls = callsNow();
    unwatch?.();
    unwatch = watch();
    return true;
  };
  const pairStanding = (): Standing => now.pair?.standing(clock.now()) ?? "over";
  const leavePair = ({ pair }: Calls["leavePair"]["ask"]): Standing => {
    const standing = pairStanding();
    if (standing !== "over") return standing;
    store.leavePair();
    if (now.pair && pair) beginPair(pair);
    return standing;
  };
  const callsNow = () => ({
    ...answers({ ...now, network, store, forecast }),
    reload: ({ raw, version, service: next }: Calls["reload"]["ask"]): true => {
      const { dhcp4, dhcp6Kept, pair } = now;
      const changed = reloaded(configOf(raw), config);
      service = next;
      dhcp4.reload(changed, version);
      dhcp6Kept?.reload(changed, version);
      store.names.begin(namePolicy(changed));
      if (pair) pair.plan = pairPlanOf(changed, service);
      return true;
    },
    interfaces: () => interfaces,
    beginPair,
    leavePair,
    pairStanding,
  });
  let calls = callsNow();
  const answer = ({ id, call, ask }: ToWorker) => {
    try {
      tell({ answered: id, answer: calls[call](ask as never) });
    } catch (error) {
      tell({ failed: id, why: (error as Error).stack ?? String(error) });
    }
  };
  if (!sockets) port.on("message", answer);
  const watch = () => (sockets ? undefined : now.link?.watch(() => now.engine.receive()));
  let unwatch = watch();

  now.engine.tick();
  tell({
    ready: {
      leases: now.dhcp4.leases.active + (now.dhcp6?.leases.active ?? 0),
      tookMs: performance.now() - startedAt,
    },
  });
  const prune = pruner(configNow, store, clock, log);
  const nameMore = namer(store, log);
  const admission = new Admission((bytes, family) => (family === 6 ? isSolicit(bytes) : isDiscover(bytes)));
  await network.run({
    packets: (round) => {
      const arrivedAt = performance.now();
      const { taken, shed, shed6 } = admission.admit(round);
      if (shed > 0) {
        counters.add("packets_received", shed);
        counters.add("received_discover", shed - shed6);
        counters.add("received6_solicit", shed6);
        counters.add("drop_overload", shed);
      }
      now.engine.handle(taken);
      counters.observeLatency((performance.now() - arrivedAt) / 1000, taken.length);
    },
    answered: (heard) => now.engine.answered(heard),
    tick: () => {
      now.engine.tick();
      now.engine.receive();
      prune();
      nameMore();
      forecast.sample(clock.now() / 1000, countPools);
    },
    called: () => {
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) answer(got.message);
      now.engine.receive();
    },
    patience: () => (now.pair?.isWaiting ? 0 : now.engine.patience()),
    probing: () => configNow().probe,
    needsIpv6: (name) => configNow().v6.interfaceSubnets.has(name) || servedByAddress6.has(name),
    interfacesChanged: (states) => {
      const { dhcp4, dhcp6Kept, pair, engine } = now;
      for (const each of states) if (hasAddressOf6(each, configNow())) servedByAddress6.add(each.name);
      tellChanges(interfaces, states, configNow(), log);
      interfaces = states;
      engine.servesClients = servesClients();
      counters.set("interfaces_down", states.filter(({ isServed }) => !isServed).length);
      try {
        dhcp4.addressesChanged();
        dhcp6Kept?.addressesChanged();
        if (pair) pair.servers = now.serverNames();
      } catch (error) {
        log.error({ err: error }, "the new addresses of the interfaces could not be taken into account");
      }
    },
  });
  unwatch?.();
  store.close();
  port.close();
}

interface Composed extends Serving {
  readonly network: Network;
  readonly store: SqliteStore;
  readonly forecast: PoolForecast;
}

function answers({ engine, dhcp4, dhcp6, network, store, forecast, pair }: Composed): {
  [K in Exclude<CallName, "interfaces" | "beginPair" | "leavePair" | "pairStanding" | "reload">]: (
    ask: Calls[K]["ask"],
  ) => Calls[K]["answer"];
} {
  const release = (ip: number | bigint, batch: Batch) =>
    typeof ip === "number" ? dhcp4.release(ip, batch) : (dhcp6?.release(ip, batch) ?? false);
  const holderOf = (ip: number | bigint, batch: Batch): Holder | undefined =>
    typeof ip === "number" ? batch.find(ip) : store.find6(ip);
  const isAsSeen = (holder: Holder, seen: string | undefined) =>
    seen === undefined || seen === leaseVersion(holder, store.note(holder.mac));
  const released = ({ ip, seen }: SeenLease, batch: Batch) => {
    const holder = holderOf(ip, batch);
    if (holder && !isAsSeen(holder, seen)) return "lease_changed";
    return release(ip, batch) ? "released" : "no_lease";
  };
  return {
    release: (lease) => {
      const done = engine.run((batch) => released(lease, batch));
      return done.saved ? done.value : "not_saved";
    },
    releaseMany: ({ leases }) => {
      const done = engine.run(
        (batch) => leases.filter((lease) => released(lease, batch) === "released").length,
      );
      return done.saved ? done.value : "not_saved";
    },
    importMany: ({ leases }) => {
      const imported = (each: AnyForeignLease, batch: Batch) => {
        if (!isForeign6(each)) return dhcp4.import(each, batch);
        return dhcp6 ? dhcp6.import(each, batch) : "dhcpv6_off";
      };
      const done = engine.run((batch) => leases.map((each) => imported(each, batch)));
      return done.saved ? done.value : "not_saved";
    },
    note: ({ ip, seen, ...said }) => {
      const done = engine.run((batch) => {
        const holder = holderOf(ip, batch);
        if (!holder) return "no_lease";
        if (holder.mac.length === 0) return "no_hardware_address";
        if (!isAsSeen(holder, seen)) return "lease_changed";
        noteDevice({ store, pair }, batch, { address: ip, mac: holder.mac }, said);
        return "saved";
      });
      return done.saved ? done.value : "not_saved";
    },
    named: ({ results }) =>
      engine.run((batch) => {
        for (const result of results) batch.named(result);
      }).saved,
    forceRenew: ({ ip }) =>
      typeof ip === "number" ? dhcp4.forceRenew(ip) : (dhcp6?.reconfigure(ip) ?? "no_lease"),
    // The batch is dropped: what was decided in it happens to nobody.
    explain: (query) =>
      engine.rehearse((batch) => dhcp4.explain({ ...query, options: new Map(query.options) }, batch)),
    explain6: (query) => (dhcp6 ? engine.rehearse((batch) => dhcp6.explain(query, batch)) : "off"),
    pools: () => {
      const status = (pool: Pool | Pool6, use: PoolUse, first: string, last: string): PoolStatus => {
        const { subnet } = pool;
        const fullInHours = forecast.hoursUntilFull(poolKey(pool), use) ?? null;
        return { ...use, subnet: subnet.name, network: subnet.network.name, first, last, fullInHours };
      };
      const [uses, uses6] = [dhcp4.leases.uses(), dhcp6?.leases.uses() ?? []];
      return [
        ...dhcp4.config.pools.map((pool) =>
          status(pool, uses[pool.index] as PoolUse, formatIpv4(pool.first), formatIpv4(pool.last)),
        ),
        ...(dhcp6?.config.v6.pools ?? []).map((pool) => {
          const end = (address: bigint) => leaseText({ address, length: pool.length });
          return status(pool, uses6[pool.index] as PoolUse, end(pool.first), end(pool.last));
        }),
      ];
    },
    crowdedPorts: ({ limit }) => [
      ...dhcp4.leases.crowdedPorts(limit),
      ...(dhcp6?.leases.crowdedPorts(limit) ?? []),
    ],
    haStatus: () => (pair ? pairStatus(pair, engine, dhcp4.config) : "off"),
    haCommand: (command) => (pair ? pairCommand(pair, engine, command) : "off"),
    restartWal: () => {
      store.restartWal();
      return true;
    },
    stop: () => {
      network.stop();
      return true;
    },
  };
}

/** A pool keeps its forecast through a reload as long as its range stays, and what of it can be given. */
const poolKey = ({ first, last }: Pool | Pool6) => `${first} ${last}`;

const hasAddressOf6 = ({ addresses6 = [] }: InterfaceState, { v6 }: Config) =>
  addresses6.some((address) => subnetOf6(v6, address));

/** An interface that serves nobody is told, with what to put right. */
function tellChanges(
  before: readonly InterfaceState[],
  now: readonly InterfaceState[],
  config: Config,
  log: EngineLog,
): void {
  const serves = (each: InterfaceState) => each.addresses.some((address) => subnetOf(config, address));
  const serves6 = (each: InterfaceState) =>
    !config.dhcpv6Enabled || config.v6.interfaceSubnets.has(each.name) || hasAddressOf6(each, config);
  for (const each of now) {
    const { name, isServed, hasCarrier, problem } = each;
    const known = before.find((other) => other.name === name);
    if (problem && problem !== known?.problem) log.error({ interface: name }, problem);
    if (!isServed && !problem && (known?.isServed !== false || known.problem))
      log.error({ interface: name }, "the interface is gone");
    const isMended = known !== undefined && (!known.isServed || known.problem !== undefined);
    if (isServed && !problem && isMended) log.info({ interface: name }, "the interface is back");
    if (isServed && !hasCarrier && known?.hasCarrier !== false)
      log.warn({ interface: name }, "the interface is down or has no carrier: nobody is heard on its link");
    if (hasCarrier && known?.isServed && !known.hasCarrier)
      log.info({ interface: name }, "the interface is up and has its carrier");
    if (isServed && !serves(each) && (!known?.isServed || serves(known))) {
      log.warn(
        { interface: name },
        "the interface has no IPv4 address inside a [[subnet]]: only relayed clients are served on it",
      );
    }
    // One that is down loses its addresses of IPv6 until it is up.
    if (hasCarrier && !serves6(each) && (!known?.hasCarrier || serves6(known))) {
      log.warn(
        { interface: name },
        "the interface has no IPv6 address inside a [[subnet]], and none names it: only relayed clients of DHCPv6 are served on it",
      );
    }
  }
}

/** Old events go a little at a time; a full disk is no reason to stop. */
function pruner(config: () => Config, store: SqliteStore, clock: EngineClock, log: EngineLog): () => void {
  let pruneAt = 0;
  return () => {
    const now = clock.now();
    if (now < pruneAt) return;
    let more = false;
    try {
      const { eventRetentionDays, maxEvents } = config();
      more = store.prune(Math.floor(now / DAY_MS), eventRetentionDays, maxEvents);
    } catch (error) {
      log.warn({ err: error }, "old events could not be removed; trying again in an hour");
    }
    pruneAt = now + (more ? PRUNE_EVERY_MS : DAY_MS / 24);
  };
}

/** Names are compared with what the configuration wants a few at a time. */
function namer(store: SqliteStore, log: EngineLog): () => void {
  return () => {
    try {
      store.reconcileNames();
    } catch (error) {
      log.warn({ err: error }, "names could not be compared with the configuration; trying again");
    }
  };
}

/** Random octets from a pool: asking the system for each nonce would cost more than the lease. */
function randomBytes(): (size: number) => Uint8Array {
  const pool = new Uint8Array(4096);
  let used = pool.length;
  return (size) => {
    if (used + size > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += size;
    return pool.slice(used - size, used);
  };
}

function relayedLog(config: () => Config): EngineLog {
  const at = (level: Level) => (details: object, message: string) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(config().logLevel)) tell({ log: level, details, message });
  };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

// Last, so that every constant above has its value when packets come in.
try {
  await serve();
} catch (error) {
  if (!(error instanceof StartProblem)) throw error;
  tell({ problem: error.message });
  port.close();
}
