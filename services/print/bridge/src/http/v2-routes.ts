import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import type { Bridge } from "../protocol/bridge.ts";
import { callerOf } from "./callers.ts";
import { addReadingRoutes, Params } from "./reading-routes.ts";

/** The older printing endpoints, so that an application moves here by changing the host. */
export function addV2Routes(app: HttpServer, bridge: Bridge): void {
  const { access, service, limits } = bridge;
  addReadingRoutes(app, bridge, "v2");
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
      const caller = () => callerOf(access, request);
      const print = { printer: request.params.id, data, encoding, copies };
      const job = await service.printRaw(caller(), print, caller);
      return reply.code(202).send(job);
    },
  );
}
