import type { HttpServer } from "@frontdesk/kit/http-server";
import type { Rollout } from "../domain/rollout.ts";
import { authorOf } from "./gate.ts";
import { type ManagerParts, timeText } from "./parts.ts";
import { type RolloutBody, RolloutView, StartRollout } from "./rollout-schemas.ts";

const TAGS = ["leases"];
const DEFAULT_PACE = { wave: 50, pauseSeconds: 10 };

export function rolloutRoutes(app: HttpServer, { rollouts, audited }: ManagerParts): void {
  app.get(
    "/api/v1/rollout",
    {
      schema: {
        operationId: "getRollout",
        summary: "How far the clients are that are to renew; null where none was begun since the start",
        tags: TAGS,
        response: { 200: RolloutView },
      },
    },
    async () => viewOf(rollouts.current),
  );

  app.post(
    "/api/v1/rollout",
    {
      schema: {
        operationId: "startRollout",
        summary: "Have clients renew in waves (FORCERENEW), so that they learn of a change before T1",
        tags: TAGS,
        body: StartRollout,
        response: { 202: RolloutView },
      },
    },
    async (request, reply) => {
      const author = authorOf(request);
      const { wave, pause_seconds, ...filter } = request.body;
      const pace = {
        wave: wave ?? DEFAULT_PACE.wave,
        pauseSeconds: pause_seconds ?? DEFAULT_PACE.pauseSeconds,
      };
      const act = { author, action: "rollout_start", details: JSON.stringify(filter) };
      const started = await audited(act, () => rollouts.start(author.actor, filter, pace));
      return reply.code(202).send(viewOf(started));
    },
  );

  app.delete(
    "/api/v1/rollout",
    {
      schema: {
        operationId: "stopRollout",
        summary: "Tell nobody any more; who was not told renews by itself at T1",
        tags: TAGS,
        response: { 200: RolloutView },
      },
    },
    async (request) => {
      const author = authorOf(request);
      return viewOf(await audited({ author, action: "rollout_stop" }, () => rollouts.stop()));
    },
  );
}

const timeOrNull = (time: number | null) => (time === null ? null : timeText(time));

function viewOf(rollout: Rollout | undefined): { rollout: RolloutBody | null } {
  if (!rollout) return { rollout: null };
  const { startedAt, startedBy, pace, until, items, filter, state, counts } = rollout;
  const { q, subnet, class: name } = filter;
  return {
    rollout: {
      started_at: timeText(startedAt),
      started_by: startedBy,
      filter: { ...(q ? { q } : {}), ...(subnet ? { subnet } : {}), ...(name ? { class: name } : {}) },
      wave: pace.wave,
      pause_seconds: pace.pauseSeconds,
      state,
      counts,
      until: timeOrNull(until),
      items: items.map(({ renewsAt, ...item }) => ({ ...item, renews_at: timeOrNull(renewsAt) })),
    },
  };
}
