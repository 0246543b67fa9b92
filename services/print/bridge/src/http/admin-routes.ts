import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { readOrigin } from "../domain/access.ts";
import { BridgeError } from "../domain/errors.ts";
import { jobStatus } from "../domain/job.ts";
import type { License } from "../domain/license.ts";
import { saveTemplate, templateInfo } from "../domain/print-desk.ts";
import type { PrintQueue } from "../domain/print-queue.ts";
import { PrinterRecord } from "../domain/printer.ts";
import { type Registry, Rights, TemplateRecord } from "../domain/registry.ts";
import type { Bridge } from "../protocol/bridge.ts";
import { assertAdmin } from "./callers.ts";

export interface AdminOptions {
  readonly bridge: Bridge;
  readonly registry: Registry;
  readonly queue: PrintQueue;
  readonly isAdminToken: (token: string) => boolean;
  readonly installLicense: (file: string) => License;
  /** The labels a virtual printer made, newest first, and the picture of one. */
  readonly labels: {
    list(printer: string): string[];
    picture(printer: string, name: string): Uint8Array | undefined;
  };
  readonly recentLog: () => readonly string[];
  readonly afterChange: () => Promise<void>;
}

const Id = Type.Object({ id: Type.String({ maxLength: 120 }) });
const OriginBody = Type.Object(
  {
    origin: Type.String({ maxLength: 300 }),
    printers: Type.Optional(Type.Record(Type.String(), Type.String())),
    rights: Type.Optional(Rights),
    open: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** What the administrator sees and decides. */
export function addAdminRoutes(app: HttpServer, options: AdminOptions): void {
  const { bridge, registry, queue } = options;
  const { access } = bridge;

  app.register(
    async (admin) => {
      admin.addHook("onRequest", async (request) => assertAdmin(request, options.isAdminToken));
      const app = admin as unknown as HttpServer;

      app.get("/printers", async () => ({
        printers: registry.printers
          .all()
          .map((printer) => ({ ...printer, status: queue.lastStatus(printer.id) })),
      }));
      app.put("/printers/:id", { schema: { params: Id, body: PrinterRecord } }, async (request) => {
        if (request.params.id !== request.body.id)
          throw new BridgeError("PROTOCOL_ERROR", "The id in the path is another.");
        registry.printers.put(request.body.id, request.body);
        await options.afterChange();
        return request.body;
      });
      app.delete("/printers/:id", { schema: { params: Id } }, async (request, reply) => {
        if (!registry.printers.remove(request.params.id))
          throw new BridgeError("PRINTER_UNKNOWN", "There is no such printer.");
        await options.afterChange();
        return reply.code(204).send();
      });
      app.get("/printers/:id/labels", { schema: { params: Id } }, async (request) => ({
        labels: options.labels.list(request.params.id),
      }));
      app.get(
        "/printers/:id/labels/:name",
        {
          schema: {
            params: Type.Object({
              id: Type.String(),
              name: Type.String({ pattern: "^[A-Za-z0-9-]+\\.png$" }),
            }),
          },
        },
        async (request, reply) => {
          const picture = options.labels.picture(request.params.id, request.params.name);
          if (!picture) return reply.code(404).send({ error: "not_found" });
          return reply.type("image/png").send(Buffer.from(picture));
        },
      );

      app.get("/templates", async () => ({
        templates: registry.templates.all().map((template) => ({ ...template, ...templateInfo(template) })),
      }));
      app.put(
        "/templates/:id",
        { bodyLimit: 2 * 1024 * 1024, schema: { params: Id, body: Type.Omit(TemplateRecord, ["version"]) } },
        async (request) => {
          if (request.params.id !== request.body.id)
            throw new BridgeError("PROTOCOL_ERROR", "The id in the path is another.");
          return saveTemplate(registry, request.body);
        },
      );
      app.delete("/templates/:id", { schema: { params: Id } }, async (request, reply) => {
        if (!registry.templates.remove(request.params.id))
          throw new BridgeError("TEMPLATE_UNKNOWN", "There is no such template.");
        return reply.code(204).send();
      });

      app.get("/origins", async () => ({ origins: registry.origins.all() }));
      app.post("/origins", { schema: { body: OriginBody } }, async (request, reply) => {
        const { origin, printers, rights, open } = request.body;
        const name = readOrigin(origin);
        const record = access.approve(name, {
          ...(printers ? { aliases: printers } : {}),
          ...(rights ? { rights } : {}),
          ...(open !== undefined ? { open } : {}),
        });
        return reply.code(201).send({ ...record, token: access.issueToken(name) });
      });
      app.post(
        "/origins/deny",
        { schema: { body: Type.Object({ origin: Type.String() }) } },
        async (request, reply) => {
          access.deny(readOrigin(request.body.origin));
          return reply.code(204).send();
        },
      );
      app.delete(
        "/origins",
        { schema: { querystring: Type.Object({ origin: Type.String() }) } },
        async (request, reply) => {
          if (!access.revoke(request.query.origin))
            throw new BridgeError("ORIGIN_DENIED", "There is no such origin.");
          return reply.code(204).send();
        },
      );
      app.get("/pairings", async () => ({
        pairings: access.pairings().map(({ claim: _secret, ...pairing }) => pairing),
      }));

      app.get("/license", async () => bridge.license());
      app.put(
        "/license",
        { schema: { body: Type.Object({ file: Type.String({ maxLength: 20_000 }) }) } },
        async (request) => options.installLicense(request.body.file),
      );
      app.get("/jobs", async () => ({
        jobs: bridge.journal.recent(200).map((job) => ({ ...jobStatus(job), origin: job.origin })),
      }));
      app.get("/logs", async () => ({ lines: options.recentLog() }));
    },
    { prefix: "/api/v1/admin" },
  );
}
