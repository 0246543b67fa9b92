import type { HttpServer } from "@frontdesk/kit/http-server";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { InjectOptions, LightMyRequestResponse } from "fastify";

const DOCUMENT = "/openapi.json";

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
}

interface SeenReply {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Holds replies against the document that the service itself publishes. */
interface OpenApiCheck {
  /** Throws when the document does not foretell the reply. */
  check(reply: SeenReply): void;
}

async function openApiCheck(app: HttpServer): Promise<OpenApiCheck> {
  const document = (await app.inject(DOCUMENT)).json() as OpenApi;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "openapi:document", ...document });
  const validators = new Map<string, ValidateFunction>();
  const paths = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template), holes: template.split("{").length }))
    .sort((one, other) => one.holes - other.holes || other.template.length - one.template.length);

  return {
    check: ({ method, path, status, contentType, body }) => {
      const [bare = ""] = path.split("?");
      const route = paths.find(
        ({ pattern, template }) => pattern.test(bare) && document.paths[template]?.[operationName(method)],
      );
      if (bare === DOCUMENT) return;
      // What no route answers, nothing foretells: the console's files, paths that are not there.
      if (!route) return;
      const where = `${method} ${route.template} ${status}`;
      const operation = document.paths[route.template]?.[operationName(method)] as Operation;
      const code = Object.hasOwn(operation.responses, status) ? String(status) : "default";
      const response = operation.responses[code];
      if (!response) throw new Error(`${where} is not in the OpenAPI document`);
      const type = contentType?.split(";")[0] ?? "";
      if (method === "HEAD" || !response.content) {
        if (body !== "" && response.content === undefined) throw new Error(`${where} should have no body`);
        return;
      }
      if (!response.content[type])
        throw new Error(`${where} came as ${type}, which the document does not say`);
      if (type !== "application/json") return;
      const pointer = [
        "paths",
        route.template,
        operationName(method),
        "responses",
        code,
        "content",
        type,
        "schema",
      ]
        .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
        .join("/");
      const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi:document#/${pointer}` });
      validators.set(pointer, validate);
      if (!validate(JSON.parse(body)))
        throw new Error(
          `${where} is not what the document says: ${ajv.errorsText(validate.errors)}\n${body}`,
        );
    },
  };
}

/** From now on every reply that a test gets from the app is held against its document. */
export function watchReplies(app: HttpServer): HttpServer {
  const inject = app.inject.bind(app) as (request: InjectOptions | string) => Promise<LightMyRequestResponse>;
  const check = app.ready().then(() => openApiCheck({ inject } as unknown as HttpServer));
  const watched = async (request: InjectOptions | string) => {
    const reply = await inject(request);
    const { method = "GET", url = "" } = typeof request === "string" ? { url: request } : request;
    (await check).check({
      method: method.toUpperCase(),
      path: String(url),
      status: reply.statusCode,
      contentType: reply.headers["content-type"] as string | undefined,
      body: reply.body,
    });
    return reply;
  };
  return Object.assign(app, { inject: watched });
}

const operationName = (method: string) => (method === "HEAD" ? "get" : method.toLowerCase());

function patternOf(template: string): RegExp {
  const source = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}
