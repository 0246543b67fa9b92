import { DomainError } from "@frontdesk/kit/domain-error";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import { CONTROL_HEADER, REFUSAL_STATUS } from "@frontdesk/lease-control-api/schemas";
import { configRoutes } from "./config-routes.ts";
import { ddnsRoutes } from "./ddns-routes.ts";
import { completeDocument } from "./document.ts";
import { eventRoutes } from "./event-routes.ts";
import { type ControlAccess, guard } from "./guard.ts";
import { haRoutes } from "./ha-routes.ts";
import { leaseRoutes } from "./lease-routes.ts";
import type { ControlParts } from "./parts.ts";
import { prefixRoutes } from "./prefix-routes.ts";
import { problemsNow, statusRoutes } from "./status-routes.ts";

/** The engine's local control API: what the manager, leasectl and scripts speak. */
export async function createControlServer(parts: ControlParts, access: ControlAccess): Promise<HttpServer> {
  const app = await createHttpServer({
    log: parts.log,
    ids: countingIds(),
    title: "Lease engine control API",
    description: "Leases, events, explanations, configuration and logs of a running DHCP engine.",
    version: CONTROL_HEADER.version,
    headers: { [CONTROL_HEADER.name]: CONTROL_HEADER.version },
    publicUrl: parts.url,
    statusOf: REFUSAL_STATUS,
    health: async () => {
      const problems = await problemsNow(parts);
      if (problems.length > 0) throw new DomainError("unhealthy", problems.join("; "));
    },
    bodyLimit: 4 * 1024 * 1024,
    complete: completeDocument,
  });
  app.addContentTypeParser("application/toml", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook("onRequest", async (request) => {
    guard(request.headers, request.url, access);
  });
  leaseRoutes(app, parts);
  prefixRoutes(app, parts);
  eventRoutes(app, parts);
  configRoutes(app, parts);
  ddnsRoutes(app, parts);
  haRoutes(app, parts);
  statusRoutes(app, parts);
  return app;
}
