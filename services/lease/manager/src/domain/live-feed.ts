import type { Log } from "@frontdesk/kit/log";
import type { Status } from "@frontdesk/lease-control-api/schemas";
import type { Engine, StreamedEvent } from "./engine.ts";

const RETRY_MS = 1_000;
/** An hour is 120 steps: more could not be told apart on a screen. */
export const STEP_MS = 30_000;
const MAX_STEPS = 120;

/** What happened within a step of time, which begins at `at`. */
export interface Rates {
  readonly at: number;
  readonly discover: number;
  readonly ack: number;
  readonly nak: number;
  readonly errors: number;
}

export interface LiveFeed {
  /** Tells of each lease event and each second's status, until the returned function is called, or all of it ends. */
  subscribe(listener: (event: StreamedEvent) => void, onEnd?: () => void): () => void;
  /** The last hour, oldest first. */
  readonly rates: readonly Rates[];
  readonly status: Status | undefined;
  /** The history begins anew: what the new one has is told from its beginning. */
  forget(): void;
  start(): void;
  stop(): void;
}

export interface LiveFeedParts {
  readonly engine: Engine;
  readonly log: Log;
  readonly now: () => number;
  /** Called when the engine is heard for the first time, or may have been away. */
  readonly onHeard?: () => void;
  /**
   * Called with the version of the configuration whenever another one runs, and when the engine is heard again; where it
   * fails, once more with the next status.
   */
  readonly onConfig: (running: string) => Promise<void>;
}

/** How far a stream of the engine's has been heard, and the line that it comes through. */
interface Place {
  last: number | undefined;
  line: AbortController;
}

/** One line to the engine for all who watch: what happens there, as it happens. */
export function createLiveFeed({ engine, log, now, onHeard = () => {}, onConfig }: LiveFeedParts): LiveFeed {
  const listeners = new Map<(event: StreamedEvent) => void, () => void>();
  const rates: Rates[] = [];
  const ended = new AbortController();
  let status: Status | undefined;
  /** What `onConfig` was called with. */
  let running = "";
  /** What it failed with last: that is told once, not every second. */
  let unkept = "";
  const history: Place = { last: undefined, line: new AbortController() };

  const tell = (event: StreamedEvent) => {
    for (const listener of listeners.keys()) listener(event);
  };

  const count = (more: Rates) => {
    const last = rates.at(-1);
    if (last?.at === more.at) rates[rates.length - 1] = added(last, more);
    else rates.push(more);
    if (rates.length > MAX_STEPS) rates.shift();
  };

  const hear = (next: Status) => {
    if (status && next.started_at === status.started_at) {
      count(ratesBetween(status.counters, next.counters, Math.floor(now() / STEP_MS) * STEP_MS));
    }
    if (!status) onHeard();
    status = next;
    const version = next.config.running;
    if (version === running) return;
    running = version;
    onConfig(version).catch((error) => {
      if (unkept !== version) log.warn({ err: error }, "configuration version not kept; trying again");
      unkept = version;
      if (running === version) running = "";
    });
  };

  /** Follows a stream of the engine's for good: where it breaks, from where it broke. */
  const follow = async (
    path: "events" | "status",
    handle: (event: StreamedEvent) => void,
    place: Place = { last: undefined, line: new AbortController() },
  ) => {
    while (!ended.signal.aborted) {
      place.line = new AbortController();
      const { signal } = place.line;
      try {
        for await (const event of engine.stream(path, place.last, AbortSignal.any([ended.signal, signal]))) {
          if (signal.aborted) break;
          if (event.id !== undefined) place.last = numberOf(event.id);
          handle(event);
        }
      } catch {
        // Stopped, or starting: the status of the process tells which. Or it is not the engine that tells this.
      }
      // After a factory reset the engine runs by the same version, and nothing is kept of it.
      if (path === "status") [status, running] = [undefined, ""];
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  };

  return {
    subscribe: (listener, onEnd = () => {}) => {
      if (ended.signal.aborted) onEnd();
      listeners.set(listener, onEnd);
      return () => listeners.delete(listener);
    },
    rates,
    get status() {
      return status;
    },
    forget: () => {
      history.last = 0;
      history.line.abort();
    },
    start: () => {
      void follow("events", tell, history);
      void follow("status", (event) => {
        hear(JSON.parse(event.data) as Status);
        tell(event);
      });
    },
    stop: () => {
      ended.abort();
      for (const onEnd of listeners.values()) onEnd();
    },
  };
}

/** The engine would refuse to go on after anything else, for good. */
function numberOf(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new Error("not the number of an event");
}

const added = (one: Rates, other: Rates): Rates => ({
  at: one.at,
  discover: one.discover + other.discover,
  ack: one.ack + other.ack,
  nak: one.nak + other.nak,
  errors: one.errors + other.errors,
});

function ratesBetween(before: Status["counters"], after: Status["counters"], at: number): Rates {
  const grown = (...names: string[]) =>
    names.reduce((sum, name) => sum + Math.max(0, (after[name] ?? 0) - (before[name] ?? 0)), 0);
  return {
    at,
    discover: grown("received_discover"),
    ack: grown("sent_ack"),
    nak: grown("sent_nak"),
    errors: grown("parse_errors", "send_errors", "store_errors", "drop_store", "drop_fault", "drop_overload"),
  };
}
