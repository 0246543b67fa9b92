import type { HttpServer } from "@frontdesk/kit/http-server";
import { DiscoveryState } from "../domain/discovery.ts";
import type { AdminOptions } from "./admin-context.ts";

/** Looking for printers. It takes some seconds: what was found is there to be read while it goes on. */
export function addDiscoveryRoutes(app: HttpServer, { discovery }: AdminOptions): void {
  app.post(
    "/discovery",
    {
      schema: {
        summary: "Looks for printers, or joins the search that goes on",
        response: { 202: DiscoveryState },
      },
    },
    async (_request, reply) => reply.code(202).send(discovery.start()),
  );
  app.get(
    "/discovery",
    { schema: { summary: "What the search has found so far", response: { 200: DiscoveryState } } },
    async () => discovery.state(),
  );
}
