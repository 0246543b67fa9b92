import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import swagger from "@fastify/swagger";
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type RawServerDefault,
} from "fastify";
import { Type } from "typebox";
import { DomainError } from "./domain-error.ts";
import type { Ids } from "./ids.ts";
import type { Log } from "./log.ts";
import { StartProblem } from "./problem.ts";
import type { ListenAddress } from "./settings.ts";

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
  /** Sent with every reply, beside the security headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

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
  const app: HttpServer = Fastify({
    genReqId: () => options.ids.next(),
    bodyLimit: options.bodyLimit ?? 64 * 1024,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 16 * 1024 },
    forceCloseConnections: "idle",
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => {
      const { status, code } = refusal(error, options.statusOf);
      const untyped = reply as unknown as FastifyReply;
      untyped.headers(headers).header("x-request-id", request.id).code(status).send({ error: code });
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.addHook("onSend", (request, reply, payload, done) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of Object.entries(headers))
      if (!reply.hasHeader(name)) reply.header(name, value);
    done(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, code } = refusal(error, options.statusOf);
    if (!(error instanceof DomainError) && status >= 500) {
      options.log.error(
        { err: error, requestId: request.id, route: request.routeOptions.url },
        "request failed",
      );
    }
    if (error instanceof DomainError && error.retryAfterSeconds) {
      reply.header("retry-after", String(error.retryAfterSeconds));
    }
    return reply.code(status).send({ error: code });
  });
  answerUnrouted(app);

  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: options.title, description: options.description, version: options.version },
      servers: [{ url: options.publicUrl }],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  });
  app.addSchema(ErrorBody);
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  app.get(
    "/healthz",
    {
      schema: {
        summary: "Whether the service can do its job",
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      try {
        await options.health();
        return { status: "ok" };
      } catch (error) {
        return reply.code(503).send({ status: "unavailable", reason: (error as Error).message });
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

/** A path that exists for other methods is 405 and says for which; any other is 404. */
function answerUnrouted(app: HttpServer): void {
  const routes: Array<{ methods: string[]; path: URLPattern }> = [];
  app.addHook("onRoute", ({ method, url }) => {
    routes.push({ methods: [method].flat(), path: new URLPattern({ pathname: url }) });
  });
  app.setNotFoundHandler((request, reply) => {
    const pathname = request.url.split("?", 1)[0] ?? "";
    const allowed = new Set(
      routes.filter(({ path }) => path.test({ pathname })).flatMap(({ methods }) => methods),
    );
    if (allowed.size === 0) return reply.code(404).send({ error: "not_found" });
    return reply
      .code(405)
      .header("allow", [...allowed].join(", "))
      .send({ error: "method_not_allowed" });
  });
}

function refusal(error: FastifyError | Error, statusOf: HttpServerOptions["statusOf"]) {
  if (error instanceof DomainError) return { status: statusOf[error.code] ?? 500, code: error.code };
  const { statusCode = 500, code = "" } = error as Partial<FastifyError>;
  if (statusCode >= 500) return { status: 500, code: "internal" };
  return { status: statusCode, code: FASTIFY_CODES[code] ?? "bad_request" };
}

/** A request that is not HTTP, or whose head is too large or too slow: there is no reply object yet. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, code] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "headers_too_large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "request_timeout"]
        : ["400 Bad Request", "bad_request"];
  const body = JSON.stringify({ error: code });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
