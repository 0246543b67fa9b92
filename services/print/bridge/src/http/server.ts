import { serveConsole } from "@frontdesk/kit/console-files";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import { jsonParser } from "@frontdesk/kit/json-parser";
import type { FastifyError } from "fastify";
import { BridgeError } from "../domain/errors.ts";
import type { Bridge } from "../protocol/bridge.ts";
import { hasShapeOfRequest } from "../protocol/json-shape.ts";
import type { AdminOptions } from "./admin-context.ts";
import { addAdminRoutes } from "./admin-routes.ts";
import { Refusal } from "./admin-schemas.ts";
import { addBrowserPrintRoutes } from "./browser-print-routes.ts";
import { createCallerLimits } from "./caller-limits.ts";
import { callerOf } from "./callers.ts";
import { addClientRoutes } from "./client-routes.ts";
import { CONSOLE_PAGES } from "./console-pages.ts";
import { completeDocument } from "./document.ts";
import { fieldErrorOf } from "./field-error.ts";
import { addMirrorRoutes } from "./mirror-routes.ts";
import { PreconditionFailed } from "./precondition.ts";
import { STATUS_OF } from "./statuses.ts";
import { addV2Routes } from "./v2-routes.ts";

export async function createBridgeServer(options: {
  readonly bridge: Bridge;
  readonly ids: Ids;
  readonly admin: AdminOptions;
  readonly isOurs: (host: string | undefined) => boolean;
  readonly publicUrl: string;
  readonly consoleFolder: string;
  readonly health: () => Promise<unknown>;
}): Promise<HttpServer> {
  const { bridge, isOurs } = options;
  const app = await createHttpServer({
    log: bridge.log,
    ids: options.ids,
    title: "Frontdesk print bridge",
    description: "The REST mirror of the print protocol, its administration, and the older interfaces.",
    version: bridge.version,
    publicUrl: options.publicUrl,
    statusOf: STATUS_OF,
    health: options.health,
    complete: completeDocument,
  });

  app.addHook("onRequest", async (request, reply) => {
    if (!isOurs(request.headers.host)) {
      // In the form of what no route answers.
      const body = { error: "misdirected_request" };
      return reply.code(421).serializer(JSON.stringify).send(body);
    }
    const { origin } = request.headers;
    const path = request.url.split("?")[0];
    const open = path === "/healthz" || path?.startsWith("/client/");
    if (origin !== undefined && (open || bridge.access.origin(origin))) {
      reply.header("access-control-allow-origin", open ? "*" : origin).header("vary", "origin");
      // A page on the public web may ask only if the browser was told that we mean it.
      reply.header("access-control-allow-private-network", "true");
    }
    if (request.method === "OPTIONS") {
      reply.header("access-control-allow-methods", "GET, POST, OPTIONS");
      reply.header("access-control-allow-headers", "authorization, content-type");
      reply.header("access-control-max-age", "600");
      return reply.code(204).send();
    }
  });
  app.options("/*", { schema: { hide: true } }, async (_request, reply) => reply.code(204).send());
  await app.register(async (scope) => {
    const routes = scope as unknown as HttpServer;
    describeRefusals(routes);
    routes.setErrorHandler((error, request, reply) => {
      const { status, body } = refusalOf(error);
      if (status >= 500 && body.error === "INTERNAL") {
        request.log.error({ err: error, route: request.routeOptions.url }, "a request failed");
      }
      return reply.code(status).send(body);
    });
    await routes.register(async (printing) => {
      // Before the body is read: whoever may not print cannot make the bridge take one.
      const limit = createCallerLimits(bridge.clock, bridge.limits);
      printing.addHook("onRequest", async (request, reply) => {
        const { origin } = callerOf(bridge.access, request);
        limit(origin, request, reply);
      });
      // Nor can who may print make everybody wait until its body is read.
      const parseJson = jsonParser(printing, "error");
      printing.removeContentTypeParser("application/json");
      printing.addContentTypeParser<Buffer>(
        "application/json",
        { parseAs: "buffer" },
        (request, body, done) => {
          if (hasShapeOfRequest(body, bridge.limits)) parseJson(request, body, done);
          else done(new BridgeError("PROTOCOL_ERROR", "The body has more parts or values than a request."));
        },
      );
      const open = printing as unknown as HttpServer;
      addMirrorRoutes(open, bridge);
      addV2Routes(open, bridge);
      addBrowserPrintRoutes(open, bridge);
    });
    addAdminRoutes(routes, options.admin);
  });
  await addClientRoutes(app);
  await serveConsole(app, { folder: options.consoleFolder, pages: CONSOLE_PAGES });
  await app.ready();
  return app;
}

/** Every route may refuse, and always in the one form. */
function describeRefusals(routes: HttpServer): void {
  routes.addHook("onRoute", (route) => {
    const { response } = (route.schema ?? {}) as { response?: object };
    route.schema = { ...route.schema, response: { ...response, "4xx": Refusal, "5xx": Refusal } };
  });
}

/** A refusal over HTTP says the same as over the protocol, and where a form's field is at fault, which. */
function refusalOf(error: unknown): { readonly status: number; readonly body: Refusal } {
  if (error instanceof BridgeError) {
    const { code, message, retryable, details } = error;
    const { field, ...rest } = (details ?? {}) as { field?: string };
    const errors = field === undefined ? {} : { errors: [{ pointer: `/${field}`, detail: message }] };
    const more = Object.keys(rest).length > 0 ? { details: rest } : {};
    return { status: STATUS_OF[code], body: { error: code, message, retryable, ...more, ...errors } };
  }
  if (error instanceof PreconditionFailed) {
    const { message, current } = error;
    return { status: 412, body: { error: "PRECONDITION_FAILED", message, retryable: false, current } };
  }
  const { statusCode = 500, message, validation } = error as Partial<FastifyError> & { message: string };
  if (validation) {
    const errors = validation.map(fieldErrorOf);
    const sentence = errors
      .map(({ pointer, detail }) => `${pointer.slice(1) || "The request"}: ${detail}`)
      .join(" ");
    return { status: 400, body: { error: "PROTOCOL_ERROR", message: sentence, retryable: false, errors } };
  }
  if (statusCode === 413) {
    return {
      status: 413,
      body: { error: "PAYLOAD_TOO_LARGE", message: "What was sent is too large.", retryable: false },
    };
  }
  if (statusCode < 500)
    return { status: statusCode, body: { error: "PROTOCOL_ERROR", message, retryable: false } };
  return {
    status: 500,
    body: { error: "INTERNAL", message: "The bridge failed; its log says why.", retryable: true },
  };
}
