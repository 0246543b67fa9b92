import type { Clock } from "@frontdesk/kit/clock";
import { type Static, Type } from "typebox";
import type { Wait } from "./backend.ts";
import { createFoundList, FoundPrinter, type Sighting, Via } from "./found-printer.ts";
import type { PrinterRecord } from "./printer.ts";

const Progress = Type.Object({
  via: Via,
  state: Type.Enum(["searching", "done", "failed"]),
  answers: Type.Integer(),
  malformed: Type.Integer({ description: "Answers that could not be read, and were ignored." }),
  problem: Type.Union([Type.String(), Type.Null()]),
});

export const DiscoveryState = Type.Object({
  state: Type.Enum(["idle", "searching", "done"]),
  startedAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  milliseconds: Type.Integer({ description: "How long a search takes." }),
  printers: Type.Array(FoundPrinter),
  leftOut: Type.Integer({ description: "Answers beyond the most that are kept." }),
  ways: Type.Array(Progress),
});
export type DiscoveryState = Static<typeof DiscoveryState>;

/** What a search gives to those who look. */
export interface Lookout {
  /** Ends when there is no more time, or when too much came in. */
  readonly signal: AbortSignal;
  /** One packet, or one device, was there to be looked at. */
  heard(): void;
  see(sighting: Sighting): void;
  malformed(): void;
}

/** One way of looking for printers. It ends when it has seen everything, or with its signal. */
export interface Finder {
  readonly via: Via;
  find(lookout: Lookout): Promise<void>;
}

export interface Discovery {
  /** Begins a search, or joins the one that goes on. */
  start(): DiscoveryState;
  state(): DiscoveryState;
  /** The state each time it changed, until the search is over. */
  find(): AsyncIterable<DiscoveryState>;
  listen(listener: (state: DiscoveryState) => void): () => void;
  close(): Promise<void>;
}

/** What changes within this time is told at once. */
const GATHER_MS = 100;

export function createDiscovery(options: {
  readonly finders: readonly Finder[];
  readonly clock: Clock;
  readonly wait: Wait;
  readonly milliseconds: number;
  readonly mostPrinters: number;
  /** Of one way, in one search. */
  readonly maxPackets: number;
  readonly known: () => readonly PrinterRecord[];
}): Discovery {
  const listeners = new Set<(state: DiscoveryState) => void>();
  let current: ReturnType<typeof begin> | undefined;
  let lastKnown: readonly PrinterRecord[] = [];

  /** While the configuration cannot be read, what was set up when it could: a search goes on without it. */
  function known(): readonly PrinterRecord[] {
    try {
      lastKnown = options.known();
    } catch {
      return lastKnown;
    }
    return lastKnown;
  }

  const stateNow = (): DiscoveryState =>
    current?.state() ?? {
      state: "idle",
      startedAt: null,
      milliseconds: options.milliseconds,
      printers: [],
      leftOut: 0,
      ways: [],
    };

  function begin() {
    const startedAt = new Date(options.clock.now()).toISOString();
    const found = createFoundList(options.mostPrinters);
    const ending = new AbortController();
    const ways = options.finders.map((finder) => createWay(finder, found.add, changed));
    let over = false;
    let telling = false;

    function tell(): void {
      const state = stateNow();
      for (const listener of listeners) listener(state);
    }
    function changed(): void {
      if (telling || over) return;
      telling = true;
      void options.wait(GATHER_MS, ending.signal).then(() => {
        telling = false;
        if (!over) tell();
      });
    }
    const run = async () => {
      const time = options.wait(options.milliseconds, ending.signal);
      const looking = ways.map((way) => way.look(options.maxPackets));
      await Promise.race([time, Promise.all(looking)]);
      over = true;
      ending.abort();
      for (const way of ways) way.end();
      tell();
      await Promise.all(looking);
    };
    return {
      isOver: () => over,
      end: () => ending.abort(),
      finished: run(),
      state: (): DiscoveryState => ({
        state: over ? "done" : "searching",
        startedAt,
        milliseconds: options.milliseconds,
        printers: found.printers(known()),
        leftOut: found.leftOut,
        ways: ways.map((way) => way.progress()),
      }),
    };
  }

  function start(): DiscoveryState {
    if (!current || current.isOver()) current = begin();
    return current.state();
  }

  return {
    start,
    state: stateNow,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async *find() {
      let wake: () => void = () => {};
      let isNew = true;
      const listener = () => {
        isNew = true;
        wake();
      };
      listeners.add(listener);
      try {
        start();
        for (;;) {
          if (!isNew) await new Promise<void>((resolve) => (wake = resolve));
          isNew = false;
          const state = stateNow();
          yield state;
          if (state.state === "done") return;
        }
      } finally {
        listeners.delete(listener);
      }
    },
    close: async () => {
      current?.end();
      await current?.finished;
    },
  };
}

/** One way of looking, counted and bounded. */
function createWay(finder: Finder, add: (sighting: Sighting) => boolean, changed: () => void) {
  const ending = new AbortController();
  const { signal } = ending;
  let state: "searching" | "done" | "failed" = "searching";
  let problem: string | null = null;
  const count = { answers: 0, malformed: 0 };
  return {
    look: async (maxPackets: number) => {
      let packets = 0;
      try {
        await finder.find({
          signal,
          heard: () => {
            if (++packets <= maxPackets || signal.aborted) return;
            problem = `More than ${maxPackets} answers came; the rest was not looked at.`;
            ending.abort();
          },
          see: (sighting) => {
            if (signal.aborted) return;
            count.answers++;
            if (add(sighting)) changed();
          },
          malformed: () => {
            count.malformed++;
          },
        });
        if (state === "searching") state = "done";
      } catch (error) {
        if (signal.aborted) return;
        state = "failed";
        problem = (error as Error).message;
      }
      changed();
    },
    end: () => {
      ending.abort();
      if (state === "searching") state = "done";
    },
    progress: () => ({ via: finder.via, state, ...count, problem }),
  };
}
