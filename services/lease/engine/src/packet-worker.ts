import { randomFillSync } from "node:crypto";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { StartProblem } from "@frontdesk/kit/problem";
import { type Config, type Pool, subnetOf } from "@frontdesk/lease-config/config";
import { type Pool6, subnetOf6 } from "@frontdesk/lease-config/config6";
import { configOf, readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import type { CallName, Calls, FromWorker, Level, PoolStatus, ToWorker, WorkerStart } from "./calls.ts";
import { COUNTERS } from "./counter-names.ts";
import { namePolicy } from "./ddns/naming.ts";
import { Dhcp4 } from "./dhcp4/dhcp4.ts";
import type { Explanation } from "./dhcp4/explain.ts";
import { isDiscover } from "./dhcp4/is-discover.ts";
import { Dhcp6 } from "./dhcp6/dhcp6.ts";
import { isSolicit } from "./dhcp6/is-solicit.ts";
import { leaseText } from "./dhcp6/sentences.ts";
import type { PoolUse } from "./leases/lease-table.ts";
import { PoolForecast } from "./leases/pool-forecast.ts";
import { Admission } from "./loop/admission.ts";
import type { Batch } from "./loop/batch.ts";
import { Counters } from "./loop/counters.ts";
import { DeviceNetwork } from "./loop/device-network.ts";
import { Engine, type EngineLog } from "./loop/engine.ts";
import { EngineClock, systemTime } from "./loop/engine-clock.ts";
import { LabNetwork } from "./loop/lab-network.ts";
import type { InterfaceState, Network } from "./loop/network.ts";
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
    ? new DeviceNetwork(sockets.devices, sockets.echo, start.wake, onSendError)
    : await LabNetwork.open(config.listen, onSendError, config.dhcpv6Enabled ? config.listen6 : []);
  const store = new SqliteStore(start.storePath);
  // Before anything is committed: a lease that ends takes its name along.
  store.names.begin(namePolicy(config));
  const kept = store.clock();
  const clock = new EngineClock(systemTime, kept);
  // The protocol may have something to tell while it is being made.
  let made: Dhcp4 | undefined;
  const log = relayedLog(() => made?.config ?? config);
  const parts = { clock, store, wire: network, counters, log };
  const begun = { ...parts, config, version: start.version, random: randomBytes() };
  const dhcp4: Dhcp4 = new Dhcp4(begun);
  made = dhcp4;
  const dhcp6 = config.dhcpv6Enabled ? new Dhcp6(begun) : undefined;
  const engine = new Engine(parts, dhcp4, dhcp6);
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
    const [uses, uses6] = [dhcp4.leases.uses(), dhcp6?.leases.uses() ?? []];
    const pools6 = dhcp6?.config.v6.pools ?? [];
    return new Map([
      ...dhcp4.config.pools.map((pool) => [poolKey(pool), uses[pool.index] as PoolUse] as const),
      ...pools6.map((pool) => [poolKey(pool), uses6[pool.index] as PoolUse] as const),
    ]);
  };
  let interfaces: readonly InterfaceState[] = [];
  const calls = {
    ...answers({ engine, dhcp4, dhcp6, network, store, forecast }),
    interfaces: () => interfaces,
  };
  const answer = ({ id, call, ask }: ToWorker) => {
    try {
      tell({ answered: id, answer: calls[call](ask as never) });
    } catch (error) {
      tell({ failed: id, why: (error as Error).stack ?? String(error) });
    }
  };
  if (!sockets) port.on("message", answer);

  engine.tick();
  tell({
    ready: {
      leases: dhcp4.leases.active + (dhcp6?.leases.active ?? 0),
      tookMs: performance.now() - startedAt,
    },
  });
  const prune = pruner(dhcp4, store, clock, log);
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
      engine.handle(taken);
      counters.observeLatency((performance.now() - arrivedAt) / 1000, taken.length);
    },
    answered: (heard) => engine.answered(heard),
    tick: () => {
      engine.tick();
      prune();
      nameMore();
      forecast.sample(clock.now() / 1000, countPools);
    },
    called: () => {
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) answer(got.message);
    },
    patience: () => engine.patience(),
    probing: () => dhcp4.config.probe,
    interfacesChanged: (now) => {
      tellChanges(interfaces, now, dhcp4.config, log);
      dhcp4.addressesChanged();
      dhcp6?.addressesChanged();
      interfaces = now;
      counters.set("interfaces_down", now.filter(({ isServed }) => !isServed).length);
    },
  });
  store.close();
  port.close();
}

interface Composed {
  readonly engine: Engine;
  readonly dhcp4: Dhcp4;
  readonly dhcp6: Dhcp6 | undefined;
  readonly network: Network;
  readonly store: SqliteStore;
  readonly forecast: PoolForecast;
}

function answers({ engine, dhcp4, dhcp6, network, store, forecast }: Composed): {
  [K in Exclude<CallName, "interfaces">]: (ask: Calls[K]["ask"]) => Calls[K]["answer"];
} {
  const release = (ip: number | bigint, batch: Batch) =>
    typeof ip === "number" ? dhcp4.release(ip, batch) : (dhcp6?.release(ip, batch) ?? false);
  const macOf = (ip: number | bigint, batch: Batch) =>
    typeof ip === "number" ? batch.find(ip)?.mac : store.find6(ip)?.mac;
  return {
    reload: ({ raw, version }) => {
      const config = configOf(raw);
      dhcp4.reload(config, version);
      dhcp6?.reload(config, version);
      store.names.begin(namePolicy(config));
      return true;
    },
    release: ({ ip }) => {
      const done = engine.run((batch) => release(ip, batch));
      return done.saved ? (done.value ? "released" : "no_lease") : "not_saved";
    },
    releaseMany: ({ ips }) => {
      const done = engine.run((batch) => ips.filter((ip) => release(ip, batch)).length);
      return done.saved ? done.value : "not_saved";
    },
    importMany: ({ leases }) => {
      const done = engine.run((batch) => leases.map((each) => dhcp4.import(each, batch)));
      return done.saved ? done.value : "not_saved";
    },
    note: ({ ip, note, dnsName }) => {
      const done = engine.run((batch) => {
        const mac = macOf(ip, batch);
        if (!mac) return "no_lease";
        if (mac.length === 0) return "no_hardware_address";
        const known = store.note(mac) ?? { note: null, dnsName: null };
        batch.note({
          mac,
          note: note === undefined ? known.note : note,
          dnsName: dnsName === undefined ? known.dnsName : dnsName,
        });
        batch.after(() => store.refreshNames(ip, mac));
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
    explain: ({ mac, giaddr, options }) => dhcp4.explain({ mac, giaddr, options: new Map(options) }),
    explain6: (query) => {
      if (!dhcp6) return "off";
      let told: Explanation | undefined;
      // The batch is dropped: what was decided in it happens to nobody.
      engine.rehearse((batch) => {
        told = dhcp6.explain(query, batch);
      });
      return told as Explanation;
    },
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

/** An interface that serves nobody is told, with what to put right. */
function tellChanges(
  before: readonly InterfaceState[],
  now: readonly InterfaceState[],
  config: Config,
  log: EngineLog,
): void {
  const serves = (each: InterfaceState) => each.addresses.some((address) => subnetOf(config, address));
  const serves6 = (each: InterfaceState) =>
    !config.dhcpv6Enabled ||
    config.v6.interfaceSubnets.has(each.name) ||
    (each.addresses6 ?? []).some((address) => subnetOf6(config.v6, address));
  for (const each of now) {
    const { name, isServed } = each;
    const known = before.find((other) => other.name === name);
    if (!isServed && known?.isServed !== false) log.error({ interface: name }, "the interface is gone");
    if (isServed && known?.isServed === false) log.info({ interface: name }, "the interface is back");
    if (isServed && !serves(each) && (!known?.isServed || serves(known))) {
      log.warn(
        { interface: name },
        "the interface has no IPv4 address inside a [[subnet]]: only relayed clients are served on it",
      );
    }
    if (isServed && !serves6(each) && (!known?.isServed || serves6(known))) {
      log.warn(
        { interface: name },
        "the interface has no IPv6 address inside a [[subnet]], and none names it: only relayed clients of DHCPv6 are served on it",
      );
    }
  }
}

/** Old events go a little at a time; a full disk is no reason to stop. */
function pruner(dhcp4: Dhcp4, store: SqliteStore, clock: EngineClock, log: EngineLog): () => void {
  let pruneAt = 0;
  return () => {
    const now = clock.now();
    if (now < pruneAt) return;
    let more = false;
    try {
      const { eventRetentionDays, maxEvents } = dhcp4.config;
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
