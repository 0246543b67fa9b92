import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { type AdminOptions, authorOf } from "./admin-context.ts";
import { About, fileReply, License, Tls, TrustReports } from "./admin-schemas.ts";

/** The machine the bridge runs on: its settings, license, certificate and log. */
export function addMachineRoutes(app: HttpServer, options: AdminOptions): void {
  const { bridge, machine, registry } = options;
  app.get(
    "/about",
    { schema: { summary: "The bridge and its settings", response: { 200: About } } },
    async () => machine.about(),
  );
  app.get("/license", { schema: { summary: "The license in force", response: { 200: License } } }, async () =>
    bridge.license(),
  );
  app.put(
    "/license",
    {
      schema: {
        summary: "Installs a license",
        body: Type.Object({ file: Type.String({ maxLength: 20_000 }) }),
        response: { 200: License },
      },
    },
    async (request) => {
      const license = machine.installLicense(request.body.file, authorOf(request, options).actor);
      bridge.log.info({ tier: license.tier, state: license.state }, "license installed");
      return license;
    },
  );
  app.get(
    "/tls",
    { schema: { summary: "The certificate and its authority", response: { 200: Tls } } },
    async () => machine.tls(),
  );
  app.get(
    "/tls/authority",
    {
      schema: {
        summary: "The authority's certificate",
        response: { 200: fileReply("application/x-x509-ca-cert", "The certificate, in PEM") },
      },
    },
    async (_request, reply) =>
      reply
        .type("application/x-x509-ca-cert")
        .header("content-disposition", 'attachment; filename="frontdesk-print.crt"')
        .send(machine.authority()),
  );
  app.post(
    "/tls/trust",
    {
      schema: {
        summary: "Lets this machine, or only its browsers, believe the certificate",
        body: Type.Object({
          change: Type.Enum(["add", "remove"]),
          browsersOnly: Type.Boolean(),
        }),
        response: { 200: Type.Object({ reports: TrustReports }) },
      },
    },
    async (request) => {
      const { change, browsersOnly } = request.body;
      const reports = await machine.trust(change, browsersOnly);
      const stores = reports.filter(({ done }) => done).map(({ store }) => store);
      if (stores.length > 0)
        registry.audit.add({
          ...authorOf(request, options),
          action: change === "add" ? "trust.added" : "trust.removed",
          subject: null,
          detail: { stores },
        });
      bridge.log.info({ change, stores: stores.length }, "trust changed");
      return { reports };
    },
  );
  app.get(
    "/logs",
    {
      schema: {
        summary: "The newest lines of the log",
        response: { 200: Type.Object({ lines: Type.Array(Type.String()) }) },
      },
    },
    async () => ({ lines: [...machine.recentLog()] }),
  );
}
