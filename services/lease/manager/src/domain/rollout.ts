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
  /** Whatever changes when it renews. */
  readonly mark: string;
  state: ClientState;
  /** T1: when it renews by itself. */
  renewsAt: number | null;
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
  readonly items: ReadonlyArray<Omit<Client, "mark">>;
}

export interface RolloutParts {
  readonly engine: Pick<Engine, "leases" | "forceRenew">;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Calls back once; answers how to call it off. */
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
}

/** Has clients renew in waves, so that a change of the configuration reaches them before they renew by themselves. */
export function createRollouts({ engine, clock, log, schedule }: RolloutParts) {
  let current: Run | undefined;

  const begin = (run: Run, milliseconds: number) => {
    run.callOff = schedule(milliseconds, () => {
      step(run).catch((error) => {
        log.warn({ err: error }, "rollout step failed; trying again");
        if (isOpen(run)) begin(run, LOOK_MS);
      });
    });
  };

  const step = async (run: Run) => {
    await look(run);
    if (!isOpen(run)) return;
    await tellWave(run);
    if (!isOpen(run)) return;
    if (run.state === "running") begin(run, run.pace.pauseSeconds * 1000);
    else if (isOver(run, clock.now())) run.state = "done";
    else begin(run, LOOK_MS);
  };

  /** Who has renewed since, and who has left. */
  const look = async (run: Run) => {
    const now = new Map<string, Lease>();
    for await (const lease of activeLeases(engine, {}))
      if (run.clients.has(lease.ip)) now.set(lease.ip, lease);
    for (const client of run.clients.values()) {
      const lease = now.get(client.ip);
      if (!lease || lease.mac !== client.mac) client.state = "gone";
      else if (markOf(lease) !== client.mark) client.state = "converged";
    }
  };

  const tellWave = async (run: Run) => {
    const queued = [...run.clients.values()].filter(({ state }) => state === "queued");
    for (const client of queued.slice(0, run.pace.wave)) {
      if (run.state !== "running") return;
      client.state = await told(client);
    }
    if (run.state === "running" && queued.length <= run.pace.wave) run.state = "watching";
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
      const clients = new Map<string, Client>();
      for await (const lease of activeLeases(engine, filter)) clients.set(lease.ip, clientOf(lease));
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
      if (run.state === "running") begin(run, 0);
      return viewOf(run);
    },

    /** Nobody is told any more; who was told renews, and the others do so at T1. */
    stop: (): Rollout => {
      if (!current || !isOpen(current)) return refuse("no_rollout");
      current.callOff();
      current.state = "stopped";
      return viewOf(current);
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
  readonly clients: ReadonlyMap<string, Client>;
  state: RolloutState;
  callOff: () => void;
}

const isOpen = ({ state }: Run): boolean => state === "running" || state === "watching";
const isPending = ({ state }: Client) => state === "queued" || state === "told" || state === "waiting";

/** Nobody is left to wait for, or all who were should have renewed by themselves. */
function isOver({ clients }: Run, now: number): boolean {
  const pending = [...clients.values()].filter(isPending);
  return pending.every(({ renewsAt }) => renewsAt !== null && renewsAt + GRACE_MS < now);
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

function clientOf(lease: Lease): Client {
  const { ip, mac, hostname, last_seen_at, expires_at } = lease;
  const [seen, ends] = [Date.parse(last_seen_at ?? ""), Date.parse(expires_at ?? "")];
  // RFC 2131 section 4.4.5: T1 defaults to half of the lease.
  const renewsAt = Number.isNaN(seen + ends) ? null : seen + (ends - seen) / 2;
  return { ip, mac, hostname, mark: markOf(lease), state: "queued", renewsAt };
}

function viewOf(run: Run): Rollout {
  const all = [...run.clients.values()];
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
    items: items.map(({ mark: _, ...shown }) => shown),
  };
}
