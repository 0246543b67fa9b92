import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Bridge } from "../protocol/bridge.ts";
import { METHODS } from "../protocol/methods.ts";
import { callerOf } from "./callers.ts";

const Params = Type.Object({ id: Type.String({ maxLength: 120 }) });

/** The older printing endpoints, so that an application moves here by changing the host. */
export function addV2Routes(app: HttpServer, { access, desk, limits }: Bridge): void {
  app.get(
    "/api/v2/printers",
    { schema: { summary: "The printers (v2)", response: { 200: METHODS["printers.list"].result } } },
    async (request) => ({ printers: desk.printers(callerOf(access, request)) }),
  );
  app.get(
    "/api/v2/printers/:id/status",
    {
      schema: {
        summary: "A printer's status (v2)",
        params: Params,
        response: { 200: METHODS["printers.status"].result },
      },
    },
    async (request) => desk.status(callerOf(access, request), request.params.id),
  );
  app.post(
    "/api/v2/printers/:id/print",
    {
      bodyLimit: limits.frameBytes,
      schema: {
        summary: "Print raw data (v2)",
        params: Params,
        body: Type.Object({
          data: Type.String(),
          encoding: Type.Optional(Type.Enum(["utf8", "base64", "hex"])),
          copies: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
        response: { 202: Type.Object({ jobId: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { data, encoding = "utf8", copies = 1 } = request.body;
      const origin = callerOf(access, request);
      const job = await desk.printRaw(origin, { printer: request.params.id, data, encoding, copies });
      return reply.code(202).send(job);
    },
  );
  app.get(
    "/api/v2/jobs/:id",
    {
      schema: {
        summary: "A job's status (v2)",
        params: Params,
        response: { 200: METHODS["job.get"].result },
      },
    },
    async (request) => desk.job(callerOf(access, request), request.params.id),
  );
}
