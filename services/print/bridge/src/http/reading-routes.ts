import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Bridge } from "../protocol/bridge.ts";
import { METHODS } from "../protocol/methods.ts";
import { callerOf } from "./callers.ts";

export const Params = Type.Object({ id: Type.String({ maxLength: 120 }) });

/** What can be read alike in every version of the REST interface: printers, a printer's status, a job. */
export function addReadingRoutes(app: HttpServer, { access, service }: Bridge, version: "v1" | "v2"): void {
  app.get(
    `/api/${version}/printers`,
    {
      schema: {
        summary: `The printers of the token's origin (${version})`,
        response: { 200: METHODS["printers.list"].result },
      },
    },
    async (request) => ({ printers: service.printers(callerOf(access, request)) }),
  );
  app.get(
    `/api/${version}/printers/:id/status`,
    {
      schema: {
        summary: `How a printer is, asked now (${version})`,
        params: Params,
        response: { 200: METHODS["printers.status"].result },
      },
    },
    async (request) => service.status(callerOf(access, request), (request.params as { id: string }).id),
  );
  app.get(
    `/api/${version}/jobs/:id`,
    {
      schema: {
        summary: `How a job stands (${version})`,
        params: Params,
        response: { 200: METHODS["job.get"].result },
      },
    },
    async (request) => service.job(callerOf(access, request), (request.params as { id: string }).id),
  );
}
