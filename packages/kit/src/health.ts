import { Type } from "typebox";
import { DomainError } from "./domain-error.ts";
import type { HttpServer } from "./fastify-server.ts";
import type { Log } from "./log.ts";
import { withinTimeLimit } from "./time-limit.ts";

const MAX_HEALTH_CHECK_MS = 5_000;

const Health = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) });

/** `/healthz`; `health` resolves when the service can do its job, and rejects with the reason when it cannot. */
export function answerHealth(app: HttpServer, health: () => Promise<unknown>, log: Log): void {
  let unhealthy: string | undefined;
  app.get(
    "/healthz",
    {
      schema: {
        summary: "Whether the service can do its job",
        security: [],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      try {
        await withinTimeLimit(health(), MAX_HEALTH_CHECK_MS, "the health check");
        unhealthy = undefined;
        return { status: "ok" };
      } catch (error) {
        // Once, however often it is asked for: the log is needed for what goes wrong beside it.
        const why = String((error as Error).message);
        if (why !== unhealthy) log.warn({ err: error }, "health check failed");
        unhealthy = why;
        // Only the domain's own sentences: others name hosts and paths.
        const reason = error instanceof DomainError ? error.message : "See the log of the service.";
        return reply.code(503).send({ status: "unavailable", reason });
      }
    },
  );
}
