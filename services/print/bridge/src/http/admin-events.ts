import { PassThrough } from "node:stream";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { BridgeError } from "../domain/errors.ts";
import { listedJob } from "../domain/job.ts";
import type { JournalEvent } from "../domain/journal.ts";
import type { AdminOptions } from "./admin-context.ts";
import { jobRow } from "./admin-jobs.ts";
import { fileReply } from "./admin-schemas.ts";

const MAX_LISTENERS = 50;
/** What may wait for a browser that does not read; past that it comes again and asks for everything. */
const MAX_UNREAD = 4 * 1024 * 1024;
export const BEAT_MS = 15_000;

/**
 * What happens, as server-sent events: `job` and `status` with what is new, `discovery` with what a search
 * has found so far, `changed` when a decision of the administrator's (or a page that asks) is there to be
 * read again.
 */
export function addEventRoutes(
  app: HttpServer,
  { bridge, discovery, onChange, registry }: AdminOptions,
  assertStill: (request: FastifyRequest) => void,
): void {
  let listeners = 0;

  app.get(
    "/events",
    {
      schema: {
        summary: "What happens, live",
        response: { 200: fileReply("text/event-stream", "Server-sent events") },
      },
    },
    async (request, reply) => {
      if (listeners >= MAX_LISTENERS)
        throw new BridgeError("RATE_LIMITED", "Too many consoles are open on this bridge.");
      let judgedAt = registry.revision();
      const stream = new PassThrough();
      /** Whoever was signed out meanwhile is told nothing more. */
      const isStillAdmin = () => {
        try {
          assertStill(request);
          return true;
        } catch {
          stream.end();
          return false;
        }
      };
      const tell = (event: string, data: unknown) => {
        const revision = registry.revision();
        if (stream.writableEnded || (revision !== judgedAt && !isStillAdmin())) return;
        judgedAt = revision;
        if (stream.writableLength > MAX_UNREAD) return void stream.destroy();
        stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      };
      const onEvent = ({ job, status }: JournalEvent) => {
        if (job) tell("job", jobRow(listedJob(job), registry.printers));
        if (status) tell("status", status);
      };
      const stops = [
        bridge.journal.listen(onEvent),
        discovery.listen((state) => tell("discovery", state)),
        onChange(() => tell("changed", {})),
      ];
      const beat = setInterval(() => {
        // An event too: of a comment alone pages hear nothing, nor that it does not come.
        if (isStillAdmin()) stream.write(": still here\nevent: alive\ndata: {}\n\n");
      }, BEAT_MS);
      listeners++;
      stream.on("close", () => {
        listeners--;
        clearInterval(beat);
        for (const stop of stops) stop();
      });
      reply.raw.on("close", () => stream.destroy());
      try {
        tell("changed", {});
      } catch (error) {
        stream.destroy();
        throw error;
      }
      return reply
        .type("text/event-stream")
        .header("cache-control", "no-store")
        .header("x-accel-buffering", "no")
        .send(stream);
    },
  );
}
