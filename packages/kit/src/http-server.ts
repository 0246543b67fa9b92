import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyError, type FastifyReply } from "fastify";
import { DomainError } from "./domain-error.ts";
import { drainOnClose } from "./drain.ts";
import type { HttpServer } from "./fastify-server.ts";
import { answerHealth } from "./health.ts";
import type { HostGuard } from "./host-guard.ts";
import type { Ids } from "./ids.ts";
import { jsonParser } from "./json-parser.ts";
import type { Log } from "./log.ts";
import { hasOneHost } from "./one-host.ts";
import { completedDocument, documentHandler, type OpenApiDocument } from "./openapi-document.ts";
import { isInTurn } from "./pipelining.ts";
import {
  answerBrokenRequest,
  ErrorBody,
  type Refusal,
  type Refuse,
  refusalOf,
  type ToldRefusal,
  tellError,
} from "./refusal.ts";
import { answerUnrouted } from "./unrouted.ts";
import { validatorCompiler } from "./validator-compiler.ts";

export type { HttpServer };

export interface HttpServerOptions {
  readonly log: Log;
  readonly ids: Ids;
  /** Shown in the OpenAPI document. */
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly publicUrl: string;
  /** Which status each refusal of the domain becomes. */
  readonly statusOf: Readonly<Record<string, number>>;
  /** Resolves when the service can do its job, rejects with the reason when it cannot. */
  readonly health: () => Promise<unknown>;
  readonly bodyLimit?: number;
  /** Proxies whose word is taken for who is calling; without them, it is who opened the connection. */
  readonly trustedProxies?: readonly string[];
  /** Sent with every reply, beside the security headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a refusal is told; without it, as `{error}`. */
  readonly tell?: (refusal: Refusal) => ToldRefusal;
  /** Where the OpenAPI document is served, and what is added to what the routes say. */
  readonly documentPath?: string;
  readonly complete?: (document: Record<string, unknown>) => Record<string, unknown>;
  /** Whether a request's `Host` means this service; without it, every one does. */
  readonly isOurHost?: HostGuard | undefined;
  /** Gets each request before the router does, for the few that are too many for its full service. */
  readonly shortcut?: Shortcut;
}

/** Answers a request itself, headers and all, or calls `route` to leave it to the router. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse, route: () => void) => void;

const REQUEST_LIMIT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;

/** With every reply. Who writes one past Fastify sends them himself. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * An HTTP server as every service wants it: request ids, errors as `{error}`, bounded bodies,
 * security headers, `/healthz` and `/openapi.json`. Requests are not logged; failures are, by
 * their route and never by their address, which may hold what must not be kept.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const headers = { ...SECURITY_HEADERS, ...options.headers };
  const withEveryReply = Object.entries(headers);
  const tell = options.tell ?? tellError;
  const refuse = (reply: FastifyReply, refusal: Refusal) => {
    const told = tell(refusal);
    // Serialised here: the schemas that routes declare describe their own replies only.
    const { contentType, headers = {} } = told;
    return reply
      .code(told.status)
      .headers({ ...headers, "content-type": contentType })
      .serializer((body) => JSON.stringify(body))
      .send(told.body);
  };
  const drains: Array<() => void> = [];
  const app: HttpServer = Fastify({
    genReqId: () => options.ids.next(),
    bodyLimit: options.bodyLimit ?? 64 * 1024,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    routerOptions: { maxParamLength: 16 * 1024 },
    forceCloseConnections: "idle",
    // One for each address that the host has.
    serverFactory: (router) => {
      const server: Server = createServer({
        requestTimeout: REQUEST_LIMIT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // RFC 9110 section 7.8: an offer to speak something else (h2c) that nobody takes up is no part of the request.
        // Whoever listens beside `drainOnClose` speaks WebSocket.
        shouldUpgradeCallback: (request) =>
          server.listenerCount("upgrade") > 1 &&
          request.headers.upgrade?.toLowerCase() === "websocket" &&
          hasOneHost(request),
      });
      drains.push(drainOnClose(server));
      const route = before(server, router, options.shortcut);
      server.on("request", (request, response) => {
        if (!isInTurn(request, response)) return;
        if (hasOneHost(request)) return route(request, response);
        const { status, contentType, body } = tell({ status: 400, code: "bad_request" });
        response.writeHead(status, { ...headers, "content-type": contentType, connection: "close" });
        response.end(JSON.stringify(body));
      });
      return server;
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, tell),
    frameworkErrors: (error, request, reply) => {
      const untyped = reply as unknown as FastifyReply;
      untyped.headers(headers).header("x-request-id", request.id);
      refuse(untyped, { ...refusalOf(error, options.statusOf), requestId: request.id, error });
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler());
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, jsonParser(app, "error"));
  app.addHook("onSend", (request, reply, payload, done) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of withEveryReply) if (!reply.hasHeader(name)) reply.header(name, value);
    done(null, payload);
  });
  if (options.isOurHost) refuseOtherHosts(app, options.isOurHost, options.log, refuse);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, code } = refusalOf(error, options.statusOf);
    if (status >= 500 && (!(error instanceof DomainError) || error.cause)) {
      options.log.error(
        { err: error.cause ?? error, requestId: request.id, route: request.routeOptions.url },
        "request failed",
      );
    }
    if (error instanceof DomainError && error.retryAfterSeconds) {
      reply.header("retry-after", String(error.retryAfterSeconds));
    }
    return refuse(reply, { status, code, requestId: request.id, error });
  });
  answerUnrouted(app, refuse);

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: options.title, description: options.description, version: options.version },
      servers: [{ url: options.publicUrl }],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  });
  app.addHook("preClose", (done) => {
    for (const drain of drains) drain();
    done();
  });
  app.addSchema(ErrorBody);
  const complete = options.complete ?? ((document) => document);
  app.get(
    options.documentPath ?? "/openapi.json",
    { schema: { hide: true } },
    documentHandler(() => completedDocument(complete(app.swagger() as unknown as OpenApiDocument))),
  );
  answerHealth(app, options.health, options.log);
  return app;
}

type Router = (request: IncomingMessage, response: ServerResponse) => void;

function before(server: Server, router: Router, shortcut: Shortcut | undefined): Router {
  if (!shortcut) return router;
  return (request, response) => {
    const route = () => router(request, response);
    // The router knows how to say good-bye while the server closes.
    if (server.listening) shortcut(request, response, route);
    else route();
  };
}

/** A page whose name was bound to this machine's address (DNS rebinding) would be of our origin otherwise. */
function refuseOtherHosts(app: HttpServer, isOurHost: HostGuard, log: Log, refuse: Refuse): void {
  let told = false;
  app.addHook("onRequest", async (request, reply) => {
    const { host } = request.headers;
    if (isOurHost(host)) return;
    if (!told)
      log.warn({ host }, "request for another host refused; the service's _URL setting names its own");
    told = true;
    return refuse(reply, { status: 421, code: "wrong_host", requestId: request.id });
  });
}
