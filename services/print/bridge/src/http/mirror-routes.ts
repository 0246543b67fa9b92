import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Bridge } from "../protocol/bridge.ts";
import { METHODS } from "../protocol/methods.ts";
import { callerOf } from "./callers.ts";

const PrinterParams = Type.Object({ id: Type.String({ maxLength: 120 }) });

/** What the protocol answers, for those who would rather ask by HTTP. */
export function addMirrorRoutes(app: HttpServer, { access, desk }: Bridge): void {
  app.get(
    "/api/v1/printers",
    {
      schema: {
        summary: "The printers of the token's origin",
        response: { 200: METHODS["printers.list"].result },
      },
    },
    async (request) => ({ printers: desk.printers(callerOf(access, request)) }),
  );
  app.get(
    "/api/v1/printers/:id/status",
    {
      schema: {
        summary: "How a printer is, asked now",
        params: PrinterParams,
        response: { 200: METHODS["printers.status"].result },
      },
    },
    async (request) => desk.status(callerOf(access, request), request.params.id),
  );
  app.get(
    "/api/v1/jobs/:id",
    {
      schema: {
        summary: "How a job stands",
        params: PrinterParams,
        response: { 200: METHODS["job.get"].result },
      },
    },
    async (request) => desk.job(callerOf(access, request), request.params.id),
  );
  app.get(
    "/api/v1/templates",
    {
      schema: {
        summary: "The stored templates",
        querystring: Type.Object({ printer: Type.Optional(Type.String({ maxLength: 120 })) }),
        response: { 200: METHODS["templates.list"].result },
      },
    },
    async (request) => ({ templates: desk.templates(callerOf(access, request), request.query.printer) }),
  );
}
