import { serveConsole } from "@frontdesk/kit/console-files";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { authRoutes } from "./auth-routes.ts";
import { refuseDeepBodies } from "./body-depth.ts";
import { takeTexts } from "./body-text.ts";
import { configRoutes } from "./config-routes.ts";
import { CONSOLE_PAGES } from "./console-pages.ts";
import { ddnsRoutes } from "./ddns-routes.ts";
import { deviceRoutes } from "./device-routes.ts";
import { completeDocument } from "./document.ts";
import { engineRoutes } from "./engine-routes.ts";
import { addGate } from "./gate.ts";
import { haRoutes } from "./ha-routes.ts";
import { leaseRoutes } from "./lease-routes.ts";
import type { ManagerParts } from "./parts.ts";
import { ProblemBody, STATUS_OF, tellProblem } from "./problem.ts";
import { reservationRoutes } from "./reservation-routes.ts";
import { rolloutRoutes } from "./rollout-routes.ts";
import { systemRoutes } from "./system-routes.ts";
import { userRoutes } from "./user-routes.ts";

const MAX_BODY = 4 * 1024 * 1024;

export interface ServerOptions {
  readonly parts: ManagerParts;
  readonly log: Log;
  readonly ids: Ids;
  readonly version: string;
  readonly publicUrl: string;
  readonly isOurs: HostGuard;
  readonly consoleFolder: string;
  readonly health: () => Promise<unknown>;
}

/** The console and the REST API of lease. */
export async function createManagerServer(options: ServerOptions): Promise<HttpServer> {
  const { parts } = options;
  const app = await createHttpServer({
    log: options.log,
    ids: options.ids,
    title: "Frontdesk lease",
    description: "Leases, reservations, history, configuration and users of a DHCP server.",
    version: options.version,
    publicUrl: options.publicUrl,
    statusOf: STATUS_OF,
    tell: tellProblem,
    health: options.health,
    bodyLimit: MAX_BODY,
    complete: completeDocument,
  });
  app.addSchema(ProblemBody);
  addGate(app, parts.signIn, options.isOurs);
  takeTexts(app);
  refuseDeepBodies(app);
  authRoutes(app, parts);
  leaseRoutes(app, parts);
  deviceRoutes(app, parts);
  rolloutRoutes(app, parts);
  reservationRoutes(app, parts);
  configRoutes(app, parts);
  engineRoutes(app, parts);
  ddnsRoutes(app, parts);
  haRoutes(app, parts);
  userRoutes(app, parts);
  systemRoutes(app, parts);
  app.get("/api/v1/healthz", { schema: { hide: true } }, (_request, reply) =>
    app
      .inject({ url: "/healthz", headers: { host: "localhost" } })
      .then((answer) =>
        reply.code(answer.statusCode).header("content-type", "application/json").send(answer.body),
      ),
  );
  await serveConsole(app, { folder: options.consoleFolder, pages: CONSOLE_PAGES });
  return app;
}
