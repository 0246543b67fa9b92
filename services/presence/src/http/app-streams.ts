import type { Writable } from "node:stream";
import { setImmediate as othersTurn } from "node:timers/promises";
import { SECURITY_HEADERS } from "@frontdesk/kit/http-server";
import type { Log } from "@frontdesk/kit/log";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Frame, LiveEvent, LiveHub, LiveRevision, Place } from "./live-hub.ts";
import { type Bound, createStreamCounts } from "./stream-bounds.ts";

/** A reader that falls behind by this much is cut off; it comes back and goes on where it was. */
const MAX_BEHIND = 1024 * 1024;
/** Longer than that, proxies take a silent connection for a dead one; pages do after more than two of them. */
export const ALIVE_EVERY_MS = 15_000;
/** How many streams are looked at before others have their turn. */
const AT_ONCE = 100;

export interface StreamOptions {
  readonly orgId: string;
  readonly place: Place;
  /** How many there may be at once, of all that it counts for. */
  readonly bounds: readonly Bound[];
  readonly version: string;
  /** An event as this viewer may see it; what they may not see moves the id alone. */
  readonly frame: (event: LiveEvent) => Frame;
  /** A change of which no event tells. */
  readonly revised: (step: LiveRevision) => Frame;
  /** The member who watches, if it is one. */
  readonly viewer?: string;
  /** Why the stream ends now, as a last frame; undefined while it may go on. Asked when something changes, and now and then. */
  readonly ended: () => Promise<string | undefined>;
}

interface Stream {
  readonly write: (text: string) => void;
  readonly look: () => Promise<void>;
  readonly end: () => void;
}

/** `event: name`, with its data and, for what happened in the organisation, its sequence. */
export const frameOf = (name: string, data: unknown, sequence?: number): string =>
  `${sequence === undefined ? "" : `id: ${sequence}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** An event too: of a comment alone pages hear nothing, nor that it does not come. */
const ALIVE = `: still here\n${frameOf("alive", {})}`;

/** Moves `Last-Event-ID` past what the viewer may not see. */
export const idFrame = (sequence: number): string => `id: ${sequence}\n\n`;

/** Server-sent events to all who watch. */
export function createStreams(hub: LiveHub, log: Log) {
  const open = new Set<Stream>();
  const counts = createStreamCounts();
  let ticking: NodeJS.Timeout | undefined;

  async function tick(): Promise<void> {
    let looked = 0;
    for (const stream of [...open]) {
      stream.write(ALIVE);
      void stream.look();
      if (++looked % AT_ONCE === 0) await othersTurn();
    }
  }

  return {
    open(request: FastifyRequest, reply: FastifyReply, options: StreamOptions): void {
      // Gone while it was found out who asks: `close` was told already, and would never end what is counted here.
      if (request.raw.socket.destroyed) return void reply.hijack();
      const { raw } = reply;
      const release = counts.take(options.bounds, {
        end: () => raw.destroy(),
        isUndrained: () => raw.writableNeedDrain,
      });
      reply.hijack();
      const over = new AbortController();
      let queue: Promise<void> | undefined;
      const write = (text: string) => {
        if (raw.writableEnded || raw.destroyed) return;
        raw.write(text);
        if (raw.writableLength > MAX_BEHIND) raw.destroy();
      };
      /** What takes a while keeps its place in the order. */
      const send = (frame: Frame) => {
        if (!queue && typeof frame === "string") return write(frame);
        // It may fail before its turn comes: until then nobody else waits for it, and the process would end.
        if (typeof frame !== "string") frame.catch(() => {});
        const mine: Promise<void> = (queue ?? Promise.resolve())
          .then(async () => write(await frame))
          .catch((err) => {
            log.warn({ err }, "an event for a stream could not be made; the stream is cut");
            raw.destroy();
          })
          .finally(() => {
            if (queue === mine) queue = undefined;
          });
        queue = mine;
      };
      const look = async () => {
        const reason = await options.ended().catch(() => undefined);
        if (reason === undefined) return;
        write(reason);
        raw.end();
      };
      const stream: Stream = { write, look, end: () => raw.end() };
      open.add(stream);
      ticking ??= setInterval(() => void tick(), ALIVE_EVERY_MS);
      raw.on("error", () => {});
      raw.once("close", () => {
        over.abort();
        open.delete(stream);
        release();
        if (open.size > 0) return;
        clearInterval(ticking);
        ticking = undefined;
      });
      raw.writeHead(200, {
        ...SECURITY_HEADERS,
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "x-request-id": request.id,
        "x-robots-tag": "noindex",
      });
      raw.flushHeaders();
      const listener = {
        begin: (revision: string) => write(frameOf("hello", { version: options.version, revision })),
        event: (event: LiveEvent) => {
          send(options.frame(event));
          if (event.type === "member.left" && event.data.member.id === options.viewer) void look();
        },
        revised: (step: LiveRevision) => {
          send(options.revised(step));
          // A share link was revoked, perhaps this one.
          if (step.revised === "nothing") void look();
        },
        changed: (revision: string) => {
          send(frameOf("changed", { revision }));
          void look();
        },
        reset: (sequence: number) => send(frameOf("reset", {}, sequence)),
        lost: () => raw.end(),
        drained: () => (raw.writableNeedDrain ? drainedOrClosed(raw) : undefined),
      };
      hub.listen(options.orgId, options.place, listener, over.signal).then(
        // What ended it since the caller was let in was told to those who were here already.
        look,
        (err) => {
          if (!over.signal.aborted) log.warn({ err }, "a stream could not begin; it is cut");
          raw.destroy();
        },
      );
    },

    /** How many are open. */
    count: (): number => open.size,

    endAll(): void {
      for (const stream of [...open]) stream.end();
    },
  };
}

const drainedOrClosed = (raw: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      raw.off("drain", done).off("close", done);
      resolve();
    };
    raw.on("drain", done).on("close", done);
    if (raw.destroyed) done();
  });

export type Streams = ReturnType<typeof createStreams>;

/** Where a stream goes on: behind what the browser has heard, else where the page was read. */
export function placeOf(request: FastifyRequest, after: number | undefined, last: number): number {
  const heard = request.headers["last-event-id"];
  if (typeof heard === "string" && /^\d{1,15}$/.test(heard)) return Number(heard);
  return after ?? last;
}
