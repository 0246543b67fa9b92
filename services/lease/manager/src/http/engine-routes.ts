import type { HttpServer } from "@frontdesk/kit/http-server";
import { LogPage, LogQuery } from "@frontdesk/lease-control-api/schemas";
import type { EngineProcessState } from "../domain/keeper.ts";
import { authorOf } from "./gate.ts";
import { type ManagerParts, timeText } from "./parts.ts";
import { Dashboard, EngineView } from "./schemas.ts";
import { openStream } from "./stream.ts";

const NEWEST = 20;
const WORDS = {
  start: "Start the engine",
  stop: "Stop the engine; nobody gets an address until it is started",
  restart: "Stop the engine and start it again; leases stay",
} as const;

export function engineRoutes(app: HttpServer, parts: ManagerParts): void {
  const { engine, keeper, live, newDevices, audited, signIn } = parts;

  const engineView = async (process: EngineProcessState): Promise<EngineView> => ({
    process: { ...process, since: timeText(process.since) },
    status: process.state === "running" ? await engine.status().catch(() => null) : null,
  });

  app.get(
    "/api/v1/engine/status",
    {
      schema: {
        operationId: "getEngineStatus",
        summary: "The engine at a glance",
        tags: ["engine"],
        response: { 200: EngineView },
      },
    },
    async () => engineView(await keeper.state()),
  );

  for (const word of ["start", "stop", "restart"] as const) {
    app.post(
      `/api/v1/engine/${word}`,
      {
        schema: {
          operationId: `${word}Engine`,
          summary: WORDS[word],
          tags: ["engine"],
          response: { 200: EngineView },
        },
      },
      async (request) => {
        const author = authorOf(request);
        return engineView(await audited({ author, action: `engine_${word}` }, () => keeper[word]()));
      },
    );
  }

  app.get(
    "/api/v1/logs",
    {
      schema: {
        operationId: "listLogLines",
        summary: "The engine's last log lines, newest first",
        tags: ["engine"],
        querystring: LogQuery,
        response: { 200: LogPage },
      },
    },
    ({ query }) => engine.logs(query),
  );

  app.get(
    "/api/v1/dashboard",
    {
      schema: {
        operationId: "getDashboard",
        summary: "Health, pools, rates of the last hour and the newest events",
        tags: ["engine"],
        response: { 200: Dashboard },
      },
    },
    async () => {
      const view = await engineView(await keeper.state());
      const events = view.status ? await engine.events({ limit: NEWEST }) : undefined;
      return {
        engine: view,
        rates: live.rates.map((each) => ({ ...each, at: timeText(each.at) })),
        events: events?.items ?? [],
        new_devices: { count: newDevices.today.count, items: [...newDevices.today.items] },
      };
    },
  );

  app.get(
    "/api/v1/stream",
    {
      schema: {
        operationId: "followEngine",
        summary: "Lease events and the status of each second, as they happen (text/event-stream)",
        tags: ["engine"],
      },
    },
    async (request, reply) => openStream(request, reply, live, signIn),
  );
}
