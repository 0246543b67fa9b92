import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { BridgeError } from "../domain/errors.ts";
import { type PrinterRecord, PrinterStatus } from "../domain/printer.ts";
import { removePrinter, savePrinter } from "../domain/printer-changes.ts";
import { testLabel } from "../languages/test-label.ts";
import { noteJob } from "./admin-audit.ts";
import { type AdminOptions, authorOf, CONSOLE, Id } from "./admin-context.ts";
import { fileReply, Nothing, PrinterBody, PrinterRow, SavedPrinter } from "./admin-schemas.ts";
import { assertPrecondition, SeenVersion } from "./precondition.ts";

const JobId = Type.Object({ jobId: Type.String() });

/** Printers: which there are, how they fare, what virtual ones printed. */
export function addPrinterRoutes(app: HttpServer, options: AdminOptions): void {
  const { bridge, registry, queues } = options;

  /** How many jobs wait for each printer. */
  function waitingJobs(): ReadonlyMap<string, number> {
    const waiting = new Map<string, number>();
    for (const { printer } of bridge.journal.unfinished())
      waiting.set(printer, (waiting.get(printer) ?? 0) + 1);
    return waiting;
  }

  function rowOf(printer: PrinterRecord, waiting: ReadonlyMap<string, number>): PrinterRow {
    return {
      ...printer,
      version: registry.printers.version(printer.id) ?? 0,
      status: queues.lastStatus(printer.id),
      waiting: waiting.get(printer.id) ?? 0,
    };
  }

  const assertSeen = (request: FastifyRequest, id: string, version: number | undefined) =>
    assertPrecondition(request, version, () =>
      rowOf(registry.printers.get(id) as PrinterRecord, waitingJobs()),
    );

  app.get(
    "/printers",
    {
      schema: {
        summary: "Printers and how they are",
        response: { 200: Type.Object({ printers: Type.Array(PrinterRow) }) },
      },
    },
    async () => {
      const waiting = waitingJobs();
      return { printers: registry.printers.all().map((printer) => rowOf(printer, waiting)) };
    },
  );
  app.put(
    "/printers/:id",
    {
      schema: {
        summary: "Adds or changes a printer",
        params: Id,
        headers: SeenVersion,
        body: PrinterBody,
        response: { 200: SavedPrinter },
      },
    },
    async (request) => {
      const { version: _seen, ...printer } = request.body;
      const { id } = printer;
      if (request.params.id !== id)
        throw new BridgeError("PROTOCOL_ERROR", "The id in the path is another.", { field: "id" });
      options.assertAddress(printer);
      assertSeen(request, id, registry.printers.version(id));
      const what = savePrinter(registry, printer, authorOf(request, options));
      bridge.log.info({ printer: id, name: printer.name, address: printer.address }, `printer ${what}`);
      options.afterChange();
      return { ...printer, version: registry.printers.version(id) ?? 0 };
    },
  );
  app.delete(
    "/printers/:id",
    {
      schema: { summary: "Removes a printer", params: Id, headers: SeenVersion, response: { 204: Nothing } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const version = registry.printers.version(id);
      if (version !== undefined) assertSeen(request, id, version);
      if (!removePrinter(registry, id, authorOf(request, options)))
        throw new BridgeError("PRINTER_UNKNOWN", "There is no such printer.");
      bridge.log.info({ printer: id }, "printer removed");
      options.afterChange();
      return reply.code(204).send(undefined);
    },
  );
  app.post(
    "/printers/:id/check",
    { schema: { summary: "Asks the printer now", params: Id, response: { 200: PrinterStatus } } },
    async (request) => bridge.service.status(CONSOLE, request.params.id),
  );
  app.post(
    "/printers/:id/test",
    { schema: { summary: "Prints a test label", params: Id, response: { 202: JobId } } },
    async (request, reply) => {
      const printer = bridge.access.printerFor(CONSOLE, request.params.id);
      const time = new Date(bridge.clock.now()).toISOString().slice(0, 19).replace("T", " ");
      const data = testLabel(printer, `${time} UTC`);
      const job = await bridge.service.printRaw(CONSOLE, {
        printer: printer.id,
        data,
        encoding: "utf8",
        copies: 1,
      });
      noteJob(options, request, "printer.tested", printer.id, { job: job.jobId });
      return reply.code(202).send(job);
    },
  );
  app.get(
    "/printers/:id/labels",
    {
      schema: {
        summary: "Pictures of a virtual printer's labels",
        params: Id,
        response: { 200: Type.Object({ labels: Type.Array(Type.String()) }) },
      },
    },
    async (request) => ({
      labels: options.labels.list(request.params.id),
    }),
  );
  app.get(
    "/printers/:id/labels/:name",
    {
      schema: {
        summary: "The picture of a label",
        params: Type.Object({
          ...Id.properties,
          name: Type.String({ pattern: "^[A-Za-z0-9-]+\\.png$", maxLength: 200 }),
        }),
        response: { 200: fileReply("image/png", "The picture of a label") },
      },
    },
    async (request, reply) => {
      const picture = options.labels.picture(request.params.id, request.params.name);
      if (!picture) throw new BridgeError("JOB_UNKNOWN", "There is no such picture.");
      // A picture with this name never becomes another.
      return reply
        .type("image/png")
        .header("cache-control", "private, max-age=3600, immutable")
        .send(Buffer.from(picture));
    },
  );
}
