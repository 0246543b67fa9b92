import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { addAuditRoutes } from "./admin-audit.ts";
import type { AdminOptions } from "./admin-context.ts";
import { addDiscoveryRoutes } from "./admin-discovery.ts";
import { addEventRoutes } from "./admin-events.ts";
import { addJobRoutes } from "./admin-jobs.ts";
import { addMachineRoutes } from "./admin-machine.ts";
import { addOriginRoutes } from "./admin-origins.ts";
import { addPrinterRoutes } from "./admin-printers.ts";
import { addSessionRoutes, assertAdmin } from "./admin-session.ts";
import { addTemplateRoutes } from "./admin-templates.ts";

/** What the administrator sees and decides. */
export function addAdminRoutes(app: HttpServer, options: AdminOptions): void {
  const gate = (request: FastifyRequest) => assertAdmin(request, options.sessions);
  app.register(
    async (scope) => {
      const open = scope as unknown as HttpServer;
      open.addHook("onSend", async (_request, reply) => {
        if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
      });
      addSessionRoutes(open, options.sessions);
      await open.register(async (gated) => {
        gated.addHook("onRequest", async (request) => gate(request));
        // A body may take its time: by now the session may have ended.
        gated.addHook("preHandler", async (request) => gate(request));
        const admin = gated as unknown as HttpServer;
        addPrinterRoutes(admin, options);
        addDiscoveryRoutes(admin, options);
        addTemplateRoutes(admin, options);
        addOriginRoutes(admin, options);
        addJobRoutes(admin, options);
        addMachineRoutes(admin, options);
        addAuditRoutes(admin, options);
        addEventRoutes(admin, options, gate);
      });
    },
    { prefix: "/api/v1/admin" },
  );
}
