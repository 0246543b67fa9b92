import { randomFillSync } from "node:crypto";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "@frontdesk/kit/clock";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Config } from "@frontdesk/lease-config/config";
import { ConfigError } from "@frontdesk/lease-config/toml-document";
import { readConfig } from "@frontdesk/lease-config/validate";
import { SqliteStore } from "../store/sqlite-store.ts";
import { Counters } from "./counters.ts";
import { DeviceNetwork } from "./device-network.ts";
import { Engine, type EngineLog } from "./engine.ts";
import { LabNetwork } from "./lab-network.ts";
import type { Network } from "./network.ts";
import { Admission } from "./overload.ts";
import type { CallName, Calls, FromWorker, Level, PoolStatus, ToWorker, WorkerStart } from "./protocol.ts";

const PRUNE_EVERY_MS = 200;
const DAY_MS = 86_400_000;

const port = parentPort as MessagePort;
const start = workerData as WorkerStart;
const tell = (message: FromWorker) => port.postMessage(message);

/** The composition of the packet thread: store, engine, network, and the calls from outside. */
async function serve(): Promise<void> {
  const counters = new Counters(start.counters);
  const config = readConfig(start.configText);
  const onSendError = () => counters.add("send_errors");
  const startedAt = performance.now();
  const network: Network =
    config.listen.length > 0
      ? await LabNetwork.open(config.listen, onSendError)
      : new DeviceNetwork(config.interfaces, start.wake, onSendError);
  const store = new SqliteStore(start.storePath);
  const engine = new Engine({
    config,
    clock: systemClock,
    store,
    wire: network,
    counters,
    random: randomBytes(),
    log: relayedLog(() => engine.config),
  });
  const calls = answers(engine, network, store);
  const answer = ({ id, call, ask }: ToWorker) => {
    try {
      tell({ answered: id, answer: calls[call](ask as never) });
    } catch (error) {
      tell({ failed: id, why: (error as Error).stack ?? String(error) });
    }
  };
  const inLab = config.listen.length > 0;
  if (inLab) port.on("message", answer);

  engine.tick();
  tell({ ready: { leases: engine.leases.active, tookMs: performance.now() - startedAt } });
  const housekeeping = housekeeper(engine, store);
  const admission = new Admission();
  await network.run({
    packets: (round) => {
      const arrivedAt = performance.now();
      const { taken, shed } = admission.admit(round);
      if (shed > 0) counters.add("drop_overload", shed);
      engine.handle(taken);
      counters.observeLatency((performance.now() - arrivedAt) / 1000, taken.length);
    },
    answered: (address) => engine.answered(address),
    tick: () => {
      engine.tick();
      housekeeping();
    },
    called: () => {
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) answer(got.message);
    },
    patience: () => engine.patience(),
    probing: () => engine.config.probe,
  });
  store.close();
  port.close();
}

function answers(
  engine: Engine,
  network: Network,
  store: SqliteStore,
): { [K in CallName]: (ask: Calls[K]["ask"]) => Calls[K]["answer"] } {
  return {
    reload: ({ text }) => {
      let next: Config;
      try {
        next = readConfig(text);
      } catch (error) {
        if (error instanceof ConfigError) return { applied: false, problems: error.problems };
        throw error;
      }
      const restart = needsRestart(engine.config, next);
      if (restart.length > 0) return { applied: false, restart };
      engine.reload(next);
      return { applied: true };
    },
    release: ({ ip }) => engine.release(ip),
    forceRenew: ({ ip }) => engine.forceRenew(ip),
    explain: ({ mac, giaddr, options }) => engine.explain({ mac, giaddr, options: new Map(options) }),
    pools: () =>
      engine.config.pools.map(
        (pool): PoolStatus => ({
          ...engine.leases.use(pool),
          subnet: pool.subnet.name,
          network: pool.subnet.network.name,
          first: pool.first,
          last: pool.last,
        }),
      ),
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

/** What sockets, rights and listeners were opened for; these hold until the next start. */
function needsRestart(now: Config, next: Config): string[] {
  const fixed = {
    interfaces: "interfaces",
    listen: "listen",
    controlListen: "control_listen",
    controlToken: "control_token",
    metricsListen: "metrics_listen",
    runAs: "run_as",
  } as const;
  return Object.entries(fixed)
    .filter(
      ([key]) =>
        JSON.stringify(now[key as keyof typeof fixed]) !== JSON.stringify(next[key as keyof typeof fixed]),
    )
    .map(([, name]) => name);
}

/** Old events go a little at a time. */
function housekeeper(engine: Engine, store: SqliteStore): () => void {
  let pruneAt = 0;
  return () => {
    const now = Date.now();
    if (now >= pruneAt) {
      const more = store.prune(now - engine.config.eventRetentionDays * DAY_MS);
      pruneAt = now + (more ? PRUNE_EVERY_MS : DAY_MS / 24);
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

const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

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
