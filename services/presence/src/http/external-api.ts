import type { HttpServer } from "@frontdesk/kit/http-server";
import { eventRoutes } from "./event-routes.ts";
import { speakJson } from "./json-bodies.ts";
import { memberRoutes } from "./member-routes.ts";
import type { Routes } from "./routes.ts";
import { statusRoutes } from "./status-routes.ts";
import { todoRoutes } from "./todo-routes.ts";

export const EXTERNAL_BASE = "/api/v1/external/orgs/:org";

/** The integration API, whose every route passes the gate. */
export async function externalApi(options: Routes): Promise<void> {
  await options.app.register(
    async (instance) => {
      const app = instance as unknown as HttpServer;
      app.decorateRequest("visitor", null);
      speakJson(app);
      app.addHook("onRoute", (route) => {
        const { needs = [] } = route.config ?? {};
        route.onRequest = options.gate.letIn(needs);
        if (route.schema) route.schema["x-needs"] = needs;
      });
      const routes = { ...options, app };
      statusRoutes(routes);
      memberRoutes(routes);
      todoRoutes(routes);
      eventRoutes(routes);
    },
    { prefix: EXTERNAL_BASE },
  );
}
