import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Bridge } from "../protocol/bridge.ts";
import { METHODS } from "../protocol/methods.ts";
import { callerOf } from "./callers.ts";
import { addReadingRoutes } from "./reading-routes.ts";

/** What the protocol answers, for those who would rather ask by HTTP. */
export function addMirrorRoutes(app: HttpServer, bridge: Bridge): void {
  const { access, service } = bridge;
  addReadingRoutes(app, bridge, "v1");
  app.get(
    "/api/v1/templates",
    {
      schema: {
        summary: "The stored templates",
        querystring: Type.Object({ printer: Type.Optional(Type.String({ maxLength: 120 })) }),
        response: { 200: METHODS["templates.list"].result },
      },
    },
    async (request) => ({ templates: service.templates(callerOf(access, request), request.query.printer) }),
  );
}
