import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import { refuse } from "./codes.ts";
import type { Engine } from "./engine.ts";
import { CLIENT_STATES, type ClientState, type RolloutState } from "./rollout-states.ts";

const PAGE = 1000;
/** Between two looks when every client has been told. */
const LOOK_MS = 5_000;
/** A client may be late by this much. */
const GRACE_MS = 60_000;
const MAX_ITEMS = 200;

export interface RolloutFilter {
  readonly q?: string | undefined;
  readonly subnet?: string | undefined;
  readonly class?: string | undefined;
}

export interface RolloutPace {
  /** How many clients are told at once, and how long until the next. */
  readonly wave: number;
  readonly pauseSeconds: number;
}

interface Client {
  readonly ip: string;
  readonly mac: string | null;
  readonly hostname: string | null;
  readonly holder: string | null;
  /** Whatever changes when it renews. */
  readonly mark: string;
  state: ClientState;
  /** T1: when it renews by itself. */
  renewsAt: number | null;
  toldAt: number;
}

export interface Rollout {
  readonly startedAt: number;
  readonly startedBy: string;
  readonly filter: RolloutFilter;
  readonly pace: RolloutPace;
  readonly state: RolloutState;
  readonly counts: Readonly<Record<ClientState, number>>;
  /** When the last of those that are told or wait has renewed by itself. */
  readonly until: number | null;
  /** Those that have not converged, at most MAX_ITEMS. */
  readonly items: ReadonlyArray<Omit<Client, "holder" | "mark" | "toldAt">>;
}

/** What of an open rollout outlives the manager: who has renewed since it began, the leases tell. */
export type KeptRollout = Pick<Rollout, "startedAt" | "startedBy" | "filter" | "pace">;

export interface RolloutParts {
  readonly kept: {
    load(): Promise<KeptRollout | undefined>;
    save(rollout: KeptRollout | undefined): Promise<void>;
  };
  readonly engine: Pick<Engine, "leases" | "forceRenew">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Calls back once; answers how to call it off. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
}

/** Has clients renew in waves, so that a change of the configuration reaches them before they renew by themselves. */
export function createRollouts({ engine, clock, log, schedule, kept }: RolloutParts) {
  let current: Run | undefined;
  let forgotten = 0;

  const begin = (run: Run, milliseconds: number) => {
    run.callOff = schedule(milliseconds, () => {
      step(run).catch((error) => {
        log.warn({ err: error }, "rollout step failed; trying again");
        if (isOpen(run)) begin(run, LOOK_MS);
      });
    });
  };

  const step = async (run: Run) => {
    if (!run.clients) run.clients = await clientsSince(run);
    await look(run.clients);
    if (!isOpen(run)) return;
    await tellWave(run, run.clients);
    if (!isOpen(run)) return;
    if (run.state === "running") return begin(run, run.pace.pauseSeconds * 1000);
    if (!isOver(run.clients, clock.now())) return begin(run, LOOK_MS);
    await kept.save(undefined);
    run.state = "done";
  };

  /** Those of a rollout that an earlier manager began. One that was told and has not renewed is told again. */
  const clientsSince = async ({ filter, startedAt }: Run): Promise<Map<string, Client>> => {
    const clients = new Map<string, Client>();
    for await (const lease of activeLeases(engine, filter)) {
      const client = clientOf(lease);
      if (Date.parse(lease.last_seen_at ?? "") >= startedAt) client.state = "converged";
      clients.set(lease.ip, client);
    }
    return clients;
  };

  /** Who has renewed since, and who has left. */
  const look = async (clients: ReadonlyMap<string, Client>) => {
    const now = new Map<string, Lease>();
    for await (const lease of activeLeases(engine, {})) if (clients.has(lease.ip)) now.set(lease.ip, lease);
    for (const client of clients.values()) {
      const lease = now.get(client.ip);
      if (!lease || holderOf(lease) !== client.holder) client.state = "gone";
      else if (markOf(lease) !== client.mark) client.state = "converged";
    }
  };

  const tellWave = async (run: Run, clients: ReadonlyMap<string, Client>) => {
    const queued = [...clients.values()].filter(({ state }) => state === "queued");
    for (const client of queued.slice(0, run.pace.wave)) {
      if (run.state !== "running") return;
      client.state = await told(client);
      client.toldAt = clock.now();
    }
    if (run.state === "running" && queued.every(({ state }) => state !== "queued")) run.state = "watching";
  };

  const told = (client: Client): Promise<ClientState> =>
    engine.forceRenew(client.ip).then(
      () => "told" as const,
      ({ code }: { code?: string }) => {
        if (code === "no_lease") return "gone" as const;
        if (code === "no_nonce" || code === "no_way")
          return client.renewsAt === null ? ("unreachable" as const) : ("waiting" as const);
        // The engine is away: this one is told in the next wave.
        return "queued" as const;
      },
    );

  return {
    get current(): Rollout | undefined {
      return current && viewOf(current);
    },

    start: async (startedBy: string, filter: RolloutFilter, pace: RolloutPace): Promise<Rollout> => {
      if (current && isOpen(current)) return refuse("rollout_running");
      const before = forgotten;
      const clients = new Map<string, Client>();
      for await (const lease of activeLeases(engine, filter)) clients.set(lease.ip, clientOf(lease));
      if (forgotten !== before) return refuse("engine_busy");
      if (current && isOpen(current)) return refuse("rollout_running");
      const run: Run = {
        startedAt: clock.now(),
        startedBy,
        filter,
        pace,
        state: clients.size > 0 ? "running" : "done",
        clients,
        callOff: () => {},
      };
      current = run;
      if (run.state !== "running") return viewOf(run);
      try {
        await kept.save({ startedAt: run.startedAt, startedBy, filter, pace });
      } catch (error) {
        run.state = "stopped";
        throw error;
      }
      begin(run, 0);
      return viewOf(run);
    },

    /** Goes on with what the manager that ran before had begun. */
    resume: async (): Promise<void> => {
      const begun = await kept.load();
      if (!begun || current) return;
      current = { ...begun, state: "running", clients: undefined, callOff: () => {} };
      begin(current, 0);
    },

    /** Nobody is told any more; who was told renews, and the others do so at T1. */
    stop: async (): Promise<Rollout> => {
      const run = current;
      if (!run || !isOpen(run)) return refuse("no_rollout");
      run.callOff();
      run.state = "stopped";
      await kept.save(undefined);
      return viewOf(run);
    },

    /** Before all leases are removed, and what is kept with them: nobody of before is told, and nothing of it shown. */
    forget: () => {
      forgotten++;
      if (!current) return;
      current.callOff();
      current.state = "stopped";
      current = undefined;
    },

    close: () => current?.callOff(),
  };
}

export type Rollouts = ReturnType<typeof createRollouts>;

interface Run {
  readonly startedAt: number;
  readonly startedBy: string;
  readonly filter: RolloutFilter;
  readonly pace: RolloutPace;
  /** Not known yet where an earlier manager began it. */
  clients: ReadonlyMap<string, Client> | undefined;
  state: RolloutState;
  callOff: () => void;
}

const isOpen = ({ state }: Run): boolean => state === "running" || state === "watching";
const isPending = ({ state }: Client) => state === "queued" || state === "told" || state === "waiting";

/** Nobody is left to wait for, or all who were should have renewed by themselves. */
function isOver(clients: ReadonlyMap<string, Client>, now: number): boolean {
  const pending = [...clients.values()].filter(isPending);
  // A lease that never ends has no T1: whoever holds one answers when told, or not at all.
  return pending.every(({ renewsAt, toldAt }) => (renewsAt ?? toldAt) + GRACE_MS < now);
}

async function* activeLeases(engine: Pick<Engine, "leases">, filter: RolloutFilter): AsyncGenerator<Lease> {
  let cursor: string | undefined;
  do {
    const page = await engine.leases({ ...filter, state: "active", limit: PAGE, cursor });
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
}

const markOf = ({ starts_at, expires_at, last_seen_at, renewals }: Lease) =>
  [starts_at, expires_at, last_seen_at, renewals].join(" ");

/** What a device keeps from one renewal to the next: of DHCPv6, a relay may tell the hardware address, or not. */
const holderOf = ({ ip, mac, duid }: Lease) => (ip.includes(":") ? duid : mac);

function clientOf(lease: Lease): Client {
  const { ip, mac, hostname, renews_at } = lease;
  const renewsAt = renews_at === null ? null : Date.parse(renews_at);
  const [holder, mark] = [holderOf(lease), markOf(lease)];
  return { ip, mac, hostname, holder, mark, state: "queued", renewsAt, toldAt: 0 };
}

function viewOf(run: Run): Rollout {
  const all = [...(run.clients?.values() ?? [])];
  const counts = Object.fromEntries(CLIENT_STATES.map((state) => [state, 0])) as Record<ClientState, number>;
  for (const { state } of all) counts[state]++;
  const times = all.filter(isPending).flatMap(({ renewsAt }) => renewsAt ?? []);
  const { startedAt, startedBy, filter, pace, state } = run;
  const items = all.filter((each) => each.state !== "converged" && each.state !== "gone").slice(0, MAX_ITEMS);
  return {
    startedAt,
    startedBy,
    filter,
    pace,
    state,
    counts,
    until: times.length > 0 ? times.reduce((latest, time) => Math.max(latest, time)) : null,
    items: items.map(({ holder: _, mark: __, toldAt: ___, ...shown }) => shown),
  };
}
