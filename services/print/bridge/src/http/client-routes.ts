import { readFileSync } from "node:fs";
import type { HttpServer } from "@frontdesk/kit/http-server";

const FOLDER = new URL("../../../client/", import.meta.url);

const FILES: Readonly<Record<string, string>> = {
  "frontdesk-print.js": "text/javascript; charset=utf-8",
  "frontdesk-print.d.ts": "text/plain; charset=utf-8",
};

/** The browser client as it is: a page imports it from the bridge and needs no build. */
export async function addClientRoutes(app: HttpServer): Promise<void> {
  for (const [name, type] of Object.entries(FILES)) {
    const content = readFileSync(new URL(name, FOLDER), "utf8");
    app.get(`/client/${name}`, { schema: { hide: true } }, async (_request, reply) =>
      reply.type(type).header("cross-origin-resource-policy", "cross-origin").send(content),
    );
  }
}
