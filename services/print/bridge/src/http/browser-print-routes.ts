import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { BridgeError } from "../domain/errors.ts";
import type { Printer } from "../domain/printer.ts";
import type { Bridge } from "../protocol/bridge.ts";
import { hasShapeOfRequest } from "../protocol/json-shape.ts";
import { fileReply } from "./admin-schemas.ts";
import { callerOf } from "./callers.ts";

/**
 * Questions that print nothing: their answers are fetched with /read. Each can be read in one way only. Zebra's library
 * asks `~hs`, `~hi` and, for the configuration, `^XA^HH^XZ`.
 */
const QUESTION = /^(?:\s|~H(?:[SIM]|Q[A-Z]{2})|\^XA\s*\^HH\s*\^XZ|! U1 getvar "[^"\r\n^~]*" ?\r?\n)+$/i;
const MAX_QUESTION = 4_096;
const MAX_ANSWERS = 200;

const Body = Compile(
  Type.Object({
    device: Type.Object({ uid: Type.String({ maxLength: 120 }) }),
    data: Type.Optional(Type.String()),
  }),
);

const Device = Type.Object({
  name: Type.String(),
  uid: Type.String(),
  connection: Type.String(),
  deviceType: Type.String(),
  version: Type.Integer(),
  provider: Type.String(),
  manufacturer: Type.String(),
});

function deviceOf(printer: Printer) {
  return {
    name: printer.name,
    uid: printer.id,
    connection: printer.transport === "usb" ? "usb" : printer.transport === "serial" ? "serial" : "network",
    deviceType: "printer",
    version: 2,
    provider: "frontdesk-print",
    manufacturer: "Zebra Technologies",
  };
}

/**
 * What Zebra Browser Print answers, so that a page written for it works by changing the host. Its
 * library sends JSON as plain text, to spare itself the preflight.
 */
export function addBrowserPrintRoutes(app: HttpServer, { access, service, limits }: Bridge): void {
  const answers = new Map<string, string>();

  const read = (body: unknown) => {
    let value = body;
    try {
      if (typeof body === "string")
        value = hasShapeOfRequest(Buffer.from(body), limits) ? JSON.parse(body) : undefined;
    } catch {
      value = undefined;
    }
    if (!Body.Check(value))
      throw new BridgeError("PROTOCOL_ERROR", "The body must be {device: {uid}, data}.");
    return value;
  };

  app.get(
    "/available",
    {
      schema: {
        summary: "Browser Print: the devices",
        response: { 200: Type.Object({ printer: Type.Array(Device) }) },
      },
    },
    async (request) => ({
      printer: service.printers(callerOf(access, request)).map(deviceOf),
    }),
  );
  app.get(
    "/default",
    {
      schema: {
        summary: "Browser Print: the default device",
        response: {
          200: {
            description: "The first device; nothing where there is none",
            content: { "application/json": { schema: Device }, "text/plain": { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const first = service.printers(callerOf(access, request))[0];
      return first ? deviceOf(first) : reply.type("text/plain").send("");
    },
  );
  app.get(
    "/config",
    {
      schema: {
        summary: "Browser Print: about this program",
        response: { 200: Type.Object({ application: Type.Record(Type.String(), Type.Unknown()) }) },
      },
    },
    async (request) => {
      callerOf(access, request);
      return {
        application: {
          version: "1.3.2",
          build_number: 1,
          api_level: 4,
          platform: process.platform,
          supportedConversions: {},
        },
      };
    },
  );
  app.post(
    "/write",
    {
      bodyLimit: limits.frameBytes,
      schema: { summary: "Browser Print: send data to a device", response: { 200: Type.Object({}) } },
    },
    async (request) => {
      const caller = () => callerOf(access, request);
      const origin = caller();
      const { device, data = "" } = read(request.body);
      if (data.length <= MAX_QUESTION && QUESTION.test(data)) {
        const answer = await service.query(origin, device.uid, Buffer.from(data, "latin1"));
        if (answers.size >= MAX_ANSWERS) answers.clear();
        answers.set(`${origin.origin}\n${device.uid}`, Buffer.from(answer).toString("latin1"));
        return {};
      }
      await service.printRaw(origin, { printer: device.uid, data, encoding: "utf8", copies: 1 }, caller);
      return {};
    },
  );
  app.post(
    "/read",
    {
      schema: {
        summary: "Browser Print: what a device answered",
        response: { 200: fileReply("text/plain", "The answer") },
      },
    },
    async (request, reply) => {
      const origin = callerOf(access, request);
      const place = `${origin.origin}\n${read(request.body).device.uid}`;
      const answer = answers.get(place) ?? "";
      answers.delete(place);
      return reply.type("text/plain; charset=utf-8").send(answer);
    },
  );
}
