import { setImmediate as othersTurn } from "node:timers/promises";
import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Revision } from "../domain/app-read-model.ts";
import { isoTime } from "../domain/clock-text.ts";
import { EventsGone } from "../domain/codes.ts";
import type { ReadModel } from "../domain/read-model.ts";
import type { EventRecord } from "../domain/records.ts";
import type { EventData, EventType } from "../domain/resources.ts";
import type { Revised } from "../domain/unit.ts";

/** An event, read once for all who hear of it. */
export interface LiveEvent {
  readonly sequence: number;
  readonly type: EventType;
  // biome-ignore lint/suspicious/noExplicitAny: which data it is, its type says
  readonly data: any;
  readonly actor: string | null;
  /** As the data tells times. */
  readonly occurredAt: string;
  readonly made: Made;
}

/** What was made of something for one listener and serves others too, or is being made. */
type Made = Map<string, Frame>;

/** One step from a revision of the organisation to the next, of which is known what it changed. */
export interface LiveRevision extends Revision {
  readonly revised: Revised;
  readonly made: Made;
}

/** What a listener is told, once it is made. */
export type Frame = string | Promise<string>;

/** Made once, for all to whom it is the same. */
export function madeOnce(event: { readonly made: Made }, name: string, make: () => Frame): Frame {
  const made = event.made.get(name) ?? make();
  event.made.set(name, made);
  return made;
}

export interface Listener {
  /** It is told from now on, of an organisation of this revision. */
  readonly begin: (revision: string) => void;
  readonly event: (event: LiveEvent) => void;
  /** Something has changed of which no event tells. */
  readonly changed: (revision: string) => void;
  /** The same where it is known what. */
  readonly revised: (step: LiveRevision) => void;
  /** What came after the listener's place is not told; it goes on behind this sequence. */
  readonly reset: (sequence: number) => void;
  /** What happens cannot be read at the moment: whoever stays would take the last for the newest. */
  readonly lost: () => void;
  /** Until the listener has taken what it was told; undefined: it can take more. */
  readonly drained: () => Promise<void> | undefined;
}

/** Where a listener goes on. */
export interface Place {
  readonly after: number;
  /** Nothing from before this time is told. */
  readonly since: number;
}

export interface LiveHubOptions {
  readonly feed: { subscribe(orgId: string, after: number, signal: AbortSignal): AsyncIterable<EventRecord> };
  readonly reader: Pick<ReadModel, "events" | "eventRange">;
  readonly revision: (orgId: string) => Promise<Revision>;
  /** Begins to do something every second; what it returns ends that. */
  readonly everySecond: (work: () => void) => () => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Org {
  /** The last event that all listeners who have caught up were told. */
  cursor: number;
  revision: string;
  looking: boolean;
  woken: boolean;
  /** How many listen, or are about to: without any, it ends. */
  held: number;
  readonly listeners: Set<Listener>;
  readonly end: AbortController;
}

/** What is read and told before others have their turn. */
const AT_ONCE = 100;
const RETRY_MS = 1_000;
/** In a row: one that is over in a moment cuts nobody off. */
const MAX_FAILURES = 3;
/** Who has missed more than this, or for longer, reads what is shown anew: that is cheaper for both. */
export const MAX_MISSED = 1_000;
export const MAX_MISSED_MS = 5 * 60_000;

/** One reader of each organisation's events for all who watch it here, however many they are. */
export function createLiveHub(options: LiveHubOptions) {
  const { feed, reader, log } = options;
  const orgs = new Map<string, Org>();
  const starting = new Map<string, Promise<void>>();
  let stopLooking: (() => void) | undefined;

  /** The organisation, which stays until it is released. */
  async function hold(orgId: string): Promise<Org> {
    for (;;) {
      const known = orgs.get(orgId);
      if (known) {
        known.held++;
        return known;
      }
      const begun = starting.get(orgId) ?? start(orgId).finally(() => starting.delete(orgId));
      starting.set(orgId, begun);
      await begun;
    }
  }

  async function start(orgId: string): Promise<void> {
    const { revision } = await options.revision(orgId);
    const { last } = await reader.eventRange(orgId);
    const org: Org = {
      cursor: last,
      revision,
      looking: false,
      woken: false,
      held: 0,
      listeners: new Set(),
      end: new AbortController(),
    };
    orgs.set(orgId, org);
    stopLooking ??= options.everySecond(look);
    void follow(orgId, org);
  }

  async function follow(orgId: string, org: Org): Promise<void> {
    let failures = 0;
    let failedAt = 0;
    while (!org.end.signal.aborted) {
      try {
        let told = 0;
        for await (const record of feed.subscribe(orgId, org.cursor, org.end.signal)) {
          const event = liveEvent(record);
          org.cursor = event.sequence;
          for (const listener of [...org.listeners]) listener.event(event);
          // What was written leaves the process before more is.
          if (++told % AT_ONCE === 0) await othersTurn();
        }
      } catch (err) {
        if (org.end.signal.aborted) return;
        if (err instanceof EventsGone) {
          org.cursor = err.resumeAfter;
          for (const listener of [...org.listeners]) listener.reset(err.resumeAfter);
        } else {
          log.warn({ err }, "the events for open streams could not be read; trying again");
          failures = performance.now() - failedAt < 10 * RETRY_MS ? failures + 1 : 1;
          failedAt = performance.now();
          if (failures >= MAX_FAILURES) for (const listener of [...org.listeners]) listener.lost();
          await pause(org.end.signal);
        }
      }
    }
  }

  /** Other copies change things of which no event tells, too. */
  function look(): void {
    for (const [orgId, org] of orgs) void lookAt(orgId, org);
  }

  /** However often it is woken meanwhile, it asks once more. */
  async function lookAt(orgId: string, org: Org): Promise<void> {
    org.woken = true;
    if (org.looking) return;
    org.looking = true;
    while (org.woken) {
      org.woken = false;
      await compare(orgId, org);
    }
    org.looking = false;
  }

  async function compare(orgId: string, org: Org): Promise<void> {
    const now = await options.revision(orgId).catch(() => undefined);
    if (!now || now.revision === org.revision) return;
    const { revision, before, revised } = now;
    const isOneStep = before === org.revision;
    org.revision = revision;
    if (isOneStep && revised) {
      const step = { revision, before, revised, made: new Map() };
      for (const listener of [...org.listeners]) listener.revised(step);
    } else for (const listener of [...org.listeners]) listener.changed(revision);
  }

  /** Tells a listener what everyone else has heard already; answers how far that is. It ends in the step in which it has caught up. */
  async function catchUp(
    orgId: string,
    org: Org,
    { after, since }: Place,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<number> {
    const oldest = Math.max(since, options.clock.now() - MAX_MISSED_MS);
    const isKept = (record: EventRecord | undefined) => record && record.occurredAt >= oldest;
    let cursor = after;
    while (cursor < org.cursor && !signal.aborted) {
      const { items } =
        org.cursor - cursor > MAX_MISSED ? { items: [] } : await reader.events(orgId, cursor, AT_ONCE);
      const [first] = items;
      if (first?.sequence !== cursor + 1 || !isKept(first)) {
        cursor = org.cursor;
        listener.reset(cursor);
        break;
      }
      for (const record of items) {
        if (record.sequence > org.cursor || signal.aborted) break;
        cursor = record.sequence;
        listener.event(liveEvent(record));
        await listener.drained();
      }
      // SQLite answers in the same turn of the event loop: without this nobody else would have one.
      await othersTurn();
    }
    if (cursor <= org.cursor) return cursor;
    // Whoever has heard what has not happened (a database from a backup) begins anew.
    const { last } = await reader.eventRange(orgId);
    if (cursor <= last) return cursor;
    listener.reset(last);
    return last;
  }

  function release(orgId: string, org: Org): void {
    org.held--;
    if (org.held > 0 || orgs.get(orgId) !== org) return;
    orgs.delete(orgId);
    org.end.abort();
    if (orgs.size > 0) return;
    stopLooking?.();
    stopLooking = undefined;
  }

  return {
    /**
     * Tells a listener every event of an organisation after its place, in order and without a gap, until the signal is
     * aborted. Where the place is too far back it says `reset` and begins with what happens now.
     */
    async listen(orgId: string, place: Place, listener: Listener, signal: AbortSignal): Promise<void> {
      const org = await hold(orgId);
      let joined: Listener | undefined;
      const leave = () => {
        if (joined) org.listeners.delete(joined);
        release(orgId, org);
      };
      const { revision } = org;
      listener.begin(revision);
      try {
        let from = place.after;
        // Until nobody has heard more in the very step in which it joins them.
        do from = await catchUp(orgId, org, { ...place, after: from }, listener, signal);
        while (from < org.cursor && !signal.aborted);
        const told = from;
        // Ahead of the others, it is told what it has not heard.
        const event = (each: LiveEvent) => each.sequence > told && listener.event(each);
        joined = { ...listener, event };
        org.listeners.add(joined);
        // The others were told while this one was catching up.
        if (org.revision !== revision) listener.changed(org.revision);
      } catch (error) {
        leave();
        throw error;
      }
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    },

    /** Something of an organisation has changed here. */
    wake(orgId: string): void {
      const org = orgs.get(orgId);
      if (org) void lookAt(orgId, org);
    },

    close(): void {
      for (const { end } of orgs.values()) end.abort();
      orgs.clear();
      stopLooking?.();
    },
  };
}

export type LiveHub = ReturnType<typeof createLiveHub>;

const liveEvent = ({ sequence, type, data, actor, occurredAt }: EventRecord): LiveEvent => ({
  sequence,
  type,
  data: JSON.parse(data) as EventData<EventType>,
  actor: actor ?? null,
  occurredAt: isoTime(occurredAt),
  made: new Map(),
});

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
