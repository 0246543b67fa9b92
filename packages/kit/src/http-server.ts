import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type RawServerDefault,
} from "fastify";
import { Type } from "typebox";
import { DomainError } from "./domain-error.ts";
import { drainOnClose } from "./drain.ts";
import { hangUp } from "./hang-up.ts";
import type { HostGuard } from "./host-guard.ts";
import type { Ids } from "./ids.ts";
import { jsonParser } from "./json-parser.ts";
import type { Log } from "./log.ts";
import { hasOneHost } from "./one-host.ts";
import { completedDocument, documentHandler, type OpenApiDocument } from "./openapi-document.ts";
import { StartProblem } from "./problem.ts";
import type { ListenAddress } from "./settings.ts";
import { withinTimeLimit } from "./time-limit.ts";
import { validatorCompiler } from "./validator-compiler.ts";

export type HttpServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

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

/** What went wrong, before it is put into words for the caller. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Missing where there was no request yet: what came was not HTTP. */
  readonly requestId?: string;
  /** Missing where nothing was thrown: no such path. */
  readonly error?: Error;
}

export interface ToldRefusal {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

const REQUEST_LIMIT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
const MAX_HEALTH_CHECK_MS = 5_000;

const tellError = ({ status, code }: Refusal): ToldRefusal => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: { error: code },
});

export const ErrorBody = Type.Object(
  { error: Type.String({ description: "An error identifier, for instance `rate_limited`." }) },
  { $id: "Error", additionalProperties: false },
);

/** For a route's `response` schema: a refusal, and when it comes. */
export const errorReply = (description: string) => ({ description, $ref: "Error#" });

const Health = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) });

/** With every reply. Who writes one past Fastify sends them himself. */
export const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Fastify's own refusals, in our words. Anything that is not listed keeps its status. */
const FASTIFY_CODES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: "bad_url",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_JSON_BODY: "bad_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "bad_json",
  FST_ERR_VALIDATION: "invalid_request",
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
      refuse(untyped, { ...refusal(error, options.statusOf), requestId: request.id, error });
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
    const { status, code } = refusal(error, options.statusOf);
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
  let unhealthy: string | undefined;
  app.get(
    "/healthz",
    {
      schema: {
        summary: "Whether the service can do its job",
        security: [],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      try {
        await withinTimeLimit(options.health(), MAX_HEALTH_CHECK_MS, "the health check");
        unhealthy = undefined;
        return { status: "ok" };
      } catch (error) {
        // Once, however often it is asked for: the log is needed for what goes wrong beside it.
        const why = String((error as Error).message);
        if (why !== unhealthy) options.log.warn({ err: error }, "health check failed");
        unhealthy = why;
        // Only the domain's own sentences: others name hosts and paths.
        const reason = error instanceof DomainError ? error.message : "See the log of the service.";
        return reply.code(503).send({ status: "unavailable", reason });
      }
    },
  );
  return app;
}

/** Listens, or says in one sentence why it cannot and which setting would change that. */
export async function listenOn(app: HttpServer, address: ListenAddress, setting: string): Promise<string> {
  try {
    return await app.listen({ host: address.host, port: address.port });
  } catch (error) {
    const where = `${address.host}:${address.port}`;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartProblem(
        `${where} is already in use: stop the program that has it, or set ${setting} to another address.`,
      );
    }
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartProblem(`${where} cannot be listened on (${code}): set ${setting} to another address.`);
    }
    throw error;
  }
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

type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply;

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

/** A path that exists for other methods is 405 and says for which; any other is 404. */
function answerUnrouted(app: HttpServer, refuse: Refuse): void {
  const routes: Array<{ methods: string[]; path: RegExp }> = [];
  app.addHook("onRoute", ({ method, url }) => {
    // What answers any address is no sign that an address is there.
    if (url !== "/*") routes.push({ methods: [method].flat(), path: pathPattern(url) });
  });
  app.setNotFoundHandler((request, reply) => {
    const pathname = request.url.split("?", 1)[0] ?? "";
    const allowed = new Set(
      routes.filter(({ path }) => path.test(pathname)).flatMap(({ methods }) => methods),
    );
    const requestId = request.id;
    if (allowed.size === 0) return refuse(reply, { status: 404, code: "not_found", requestId });
    reply.header("allow", [...allowed].join(", "));
    return refuse(reply, { status: 405, code: "method_not_allowed", requestId });
  });
}

/** What a route matches, in the router's own writing: `:name` a part of the path, `::` a colon, `*` the rest. */
function pathPattern(route: string): RegExp {
  const source = route.replace(/::|:\w+(?:\(.*?\))?|\*|[.+?^${}()|[\]\\]/g, (token) => {
    if (token === "::") return ":";
    if (token.startsWith(":")) return "[^/]+";
    return token === "*" ? ".*" : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

function refusal(error: FastifyError | Error, statusOf: HttpServerOptions["statusOf"]) {
  if (error instanceof DomainError) {
    const { code } = error;
    // A database that is away, whichever service asks it.
    const status = Object.hasOwn(statusOf, code) ? statusOf[code] : code === "unavailable" ? 503 : 500;
    return { status: status ?? 500, code };
  }
  const { statusCode = 500, code = "" } = error as Partial<FastifyError>;
  if (statusCode >= 500) return { status: 500, code: "internal" };
  return { status: statusCode, code: FASTIFY_CODES[code] ?? "bad_request" };
}

/** A request that is not HTTP, or whose head is too large or too slow: there is no reply object yet. */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  tell: (refusal: Refusal) => ToldRefusal,
): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, code] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "headers_too_large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "request_timeout"]
        : [400, "bad_request"];
  const told = tell({ status, code });
  const body = JSON.stringify(told.body);
  hangUp(
    socket,
    `HTTP/1.1 ${told.status} ${STATUS_CODES[told.status]}\r\nContent-Type: ${told.contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
