import { type Job, jobStatus } from "../domain/job.ts";
import type { JournalEvent } from "../domain/journal.ts";
import type { OriginRecord } from "../domain/registry.ts";
import type { Bridge } from "./bridge.ts";
import { type Caller, type EventName, PROTOCOL_VERSION } from "./methods.ts";

/** What a feed needs of the connection under it. */
export interface FeedWire {
  send(text: string): void;
  /** Whether so much waits for the other side to read that more had better wait too. */
  readonly isFull: boolean;
  /** Resolves when there is room, or when the connection is closed. */
  drained(): Promise<void>;
}

interface Subscription {
  readonly events: ReadonlySet<EventName>;
  readonly printers: ReadonlySet<string> | undefined;
  readonly jobs: ReadonlySet<string> | undefined;
}

const CATCH_UP_PAGE = 50;
const RETRY_MS = 1_000;

/** What one connection is told of what happens. `currentOrigin` is asked for each event: who is out hears no more. */
export function openEventFeed(
  bridge: Pick<Bridge, "journal" | "access" | "log">,
  wire: FeedWire,
  currentOrigin: () => OriginRecord | undefined,
) {
  const { journal } = bridge;
  let subscription: Subscription | undefined;
  /** The last event that this connection was told of, or that was not for it. */
  let cursor = 0;
  let catchingUp = false;
  /** Tries again to tell what could not be read. Until that is told, nothing newer is. */
  let retry: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  let closed = false;

  const subscribe: Caller["subscribe"] = ({ events, printers, jobs, sinceSeq }) => {
    const next: Subscription = {
      events: new Set(events),
      printers: printers && new Set(printers),
      jobs: jobs && new Set(jobs),
    };
    const seq = journal.lastSeq;
    // A number that was never given out is of another journal: of this one nothing has been seen.
    const from = sinceSeq !== undefined && sinceSeq > seq ? 0 : (sinceSeq ?? seq);
    const complete = sinceSeq === undefined || (sinceSeq <= seq && sinceSeq >= journal.firstSeq - 1);
    stopListening?.();
    // The answer goes out first, then what was missed, then what happens; nothing can slip between.
    setImmediate(() => {
      if (closed) return;
      subscription = next;
      cursor = from;
      // Several may have been asked for in one turn: there is one listener all the same.
      stopListening?.();
      stopListening = journal.listen(onEvent);
      void catchUp();
    });
    return { seq, complete };
  };

  /** Tells what was missed, as fast as the other side reads: of each job and printer the newest state. */
  async function catchUp(): Promise<void> {
    if (catchingUp) return;
    catchingUp = true;
    const isRepeated = retry !== undefined;
    clearTimeout(retry);
    retry = undefined;
    try {
      while (!closed) {
        await wire.drained();
        const origin = currentOrigin();
        const page = origin ? journal.eventsSince(cursor, CATCH_UP_PAGE, origin.origin) : [];
        if (page.length === 0) break;
        for (const event of page) {
          if (closed || wire.isFull) break;
          push(event);
          cursor = event.seq;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      if (!isRepeated) bridge.log.error({ err: error }, "events not sent; trying again");
      tryLater();
    } finally {
      catchingUp = false;
    }
  }

  function tryLater(): void {
    if (closed) return;
    retry = setTimeout(() => void catchUp(), RETRY_MS);
  }

  function onEvent(event: JournalEvent): void {
    if (event.seq <= cursor) return;
    // A page that does not read is told later, and then only how things stand.
    if (catchingUp || retry || wire.isFull) return void catchUp();
    try {
      push(event);
      cursor = event.seq;
    } catch (error) {
      // It comes from outside of any request: what fails here ends nothing.
      bridge.log.error({ err: error }, "event not sent; trying again");
      tryLater();
    }
  }

  function push(event: JournalEvent): void {
    const origin = currentOrigin();
    if (!subscription?.events.has(event.event) || !origin) return;
    if (event.job) {
      if (event.origin !== origin.origin) return;
      if (subscription.jobs && !subscription.jobs.has(event.job.id)) return;
      if (subscription.printers && !subscription.printers.has(event.job.alias)) return;
      wire.send(jobFrame(event, event.job));
      return;
    }
    const { status } = event;
    if (!status) return;
    for (const { alias, printer } of bridge.access.printersOf(origin)) {
      if (printer?.id !== event.printer || (subscription.printers && !subscription.printers.has(alias)))
        continue;
      const data = { ...status, printer: alias };
      wire.send(JSON.stringify({ v: PROTOCOL_VERSION, event: event.event, data, seq: event.seq }));
    }
  }

  return {
    subscribe,
    close: () => {
      closed = true;
      clearTimeout(retry);
      stopListening?.();
    },
  };
}

/** Many tabs hear of the same job: its frame is written once. */
const jobFrames = new WeakMap<JournalEvent, string>();
function jobFrame(event: JournalEvent, job: Job): string {
  let frame = jobFrames.get(event);
  if (frame === undefined) {
    frame = JSON.stringify({ v: PROTOCOL_VERSION, event: event.event, data: jobStatus(job), seq: event.seq });
    jobFrames.set(event, frame);
  }
  return frame;
}
