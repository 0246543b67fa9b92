import type { ServerResponse } from "node:http";
import { SECURITY_HEADERS } from "@frontdesk/kit/http-server";
import type { FastifyReply } from "fastify";
import { refuse } from "./parts.ts";

export const MAX_STREAMS = 32;
/** A reader that falls behind by this much is cut off; it comes back with the number it has seen. */
const MAX_BEHIND = 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

export interface Sent {
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

type Next = () => Sent[] | Promise<Sent[]>;

/** Streams of events (text/event-stream), each asked for what is new at a steady pace. */
export class EventStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #everyMs: number;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  open(reply: FastifyReply, next: Next): void {
    // HEAD is answered at once, and holds no place.
    const isHead = reply.request.method === "HEAD";
    if (this.#open.size >= MAX_STREAMS && !isHead) refuse("too_many_streams");
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...SECURITY_HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      connection: "keep-alive",
    });
    if (isHead) return void raw.end();
    this.#open.add(raw);
    raw.write(": open\n\n");
    let busy = false;
    let quietSince = Date.now();
    const turn = async () => {
      if (busy) return;
      busy = true;
      try {
        const items = await next();
        for (const item of items) raw.write(format(item));
        if (items.length > 0) quietSince = Date.now();
        else if (Date.now() - quietSince >= KEEP_ALIVE_MS) {
          raw.write(": still here\n\n");
          quietSince = Date.now();
        }
        if (raw.writableLength > MAX_BEHIND) raw.destroy();
      } catch {
        // The engine or its store cannot answer: the reader comes back and is told by the status code.
        raw.destroy();
      } finally {
        busy = false;
      }
    };
    const timer = setInterval(() => void turn(), this.#everyMs);
    raw.on("close", () => {
      clearInterval(timer);
      this.#open.delete(raw);
    });
    raw.on("error", () => {});
    void turn();
  }

  close(): void {
    for (const raw of this.#open) raw.destroy();
  }
}

function format({ id, event, data }: Sent): string {
  const number = id === undefined ? "" : `id: ${id}\n`;
  return `${number}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
