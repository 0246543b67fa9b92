import type { HttpServer } from "@frontdesk/kit/http-server";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { InjectOptions, LightMyRequestResponse } from "fastify";

const DOCUMENT = "/openapi.json";
const ERROR_SCHEMA = "components/schemas/Error";

interface Described {
  readonly content?: Readonly<Record<string, { schema?: object }>>;
  readonly headers?: Readonly<Record<string, { required?: boolean; schema?: object }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Record<string, { readonly responses: Record<string, Described> }>>>;
}

export interface SeenReply {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  /** Undefined where nobody can tell any more: a browser that has gone on to another page. */
  readonly body: Uint8Array | undefined;
}

/** Throws when the document does not foretell the reply. */
export type CheckReply = (reply: SeenReply) => void;

/** As far as texts of our schemas promise a form. */
const FORMATS = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /^[^@\s]+@[^@\s]+$/,
  binary: true,
} as const;

/** Holds replies against the document that the service itself publishes. */
export function openApiCheck(document: OpenApi): CheckReply {
  const ajv = new Ajv2020({ strict: false, coerceTypes: false, formats: FORMATS });
  ajv.addSchema({ $id: "openapi:document", ...document });
  const validators = new Map<string, ValidateFunction>();
  const mustFit = (where: string, pointer: string, value: unknown) => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi:document#/${pointer}` });
    validators.set(pointer, validate);
    if (!validate(value))
      throw new Error(
        `${where} is not what the document says: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`,
      );
  };
  const paths = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template), holes: template.split("{").length }))
    .sort((one, other) => one.holes - other.holes || other.template.length - one.template.length);

  function checkHeaders(where: string, pointer: string, { headers = {} }: Described, reply: SeenReply) {
    const described = Object.entries(headers);
    for (const [name, { required, schema = {} }] of described) {
      const given = reply.header(name) ?? undefined;
      if (given === undefined && required) throw new Error(`${where} lacks the header ${name}`);
      const isNumber = (schema as { type?: string }).type === "integer";
      if (given !== undefined)
        mustFit(`${where} ${name}`, `${pointer}/headers/${part(name)}/schema`, isNumber ? +given : given);
    }
    const names = described.map(([name]) => name.toLowerCase());
    for (const name of ["set-cookie", "retry-after", "location"])
      if (reply.header(name) && !names.includes(name))
        throw new Error(`${where} has a header ${name}, of which the document says nothing`);
  }

  return (reply) => {
    const { method, status, body } = reply;
    const path = canonical(reply.path);
    if (path === DOCUMENT) return;
    const operationName = method === "HEAD" ? "get" : method.toLowerCase();
    const type = reply.header("content-type")?.split(";")[0] ?? "";
    const route = paths.find(
      ({ pattern, template }) => pattern.test(path) && document.paths[template]?.[operationName],
    );
    if (!route) {
      // What no route answers is a page or a file of the console, or a refusal in the one form there is.
      if (type !== "application/json") return;
      if (status < 400) throw new Error(`${method} ${path} ${status} is not in the OpenAPI document`);
      if (body?.length) mustFit(`${method} ${path} ${status}`, ERROR_SCHEMA, JSON.parse(textOf(body)));
      return;
    }
    const where = `${method} ${route.template} ${status}`;
    // "default" is for faults of ours: a test that meets one has found something.
    const response = document.paths[route.template]?.[operationName]?.responses[status];
    if (!response) throw new Error(`${where} is not in the OpenAPI document`);
    const pointer = ["paths", route.template, operationName, "responses", String(status)].map(part).join("/");
    checkHeaders(where, pointer, response, reply);
    if (!response.content) {
      if (body?.length) throw new Error(`${where} should have no body`);
      return;
    }
    if (!response.content[type])
      throw new Error(`${where} came as ${type || "nothing"}, which the document does not say`);
    if (method === "HEAD" || body === undefined) return;
    if (body.length === 0) throw new Error(`${where} should have a body`);
    if (type === "application/json")
      mustFit(where, `${pointer}/content/${part(type)}/schema`, JSON.parse(textOf(body)));
  };
}

/** From now on every reply that a test gets from the app is held against its document. */
export function watchReplies(app: HttpServer): HttpServer {
  const inject = app.inject.bind(app) as (request: InjectOptions | string) => Promise<LightMyRequestResponse>;
  const check = app.ready().then(async () => checkBy((await inject(DOCUMENT)).body));
  const watched = async (request: InjectOptions | string) => {
    const reply = await inject(request);
    const { method = "GET", url = "" } = typeof request === "string" ? { url: request } : request;
    (await check)({
      method: method.toUpperCase(),
      path: String(url),
      status: reply.statusCode,
      header: (name) => reply.headers[name.toLowerCase()]?.toString(),
      body: reply.rawPayload,
    });
    return reply;
  };
  return Object.assign(app, { inject: watched });
}

const checksByText = new Map<string, CheckReply>();

/** Most tests open a service of their own; what it foretells is the same, and understood once. */
function checkBy(text: string): CheckReply {
  const { servers: _, ...document } = JSON.parse(text);
  const key = JSON.stringify(document);
  const known = checksByText.get(key) ?? openApiCheck(document);
  checksByText.set(key, known);
  return known;
}

const checks = new Map<string, Promise<CheckReply>>();

/** What the server at an origin foretells of itself. */
export function checkOf(origin: string): Promise<CheckReply> {
  const known =
    checks.get(origin) ?? fetch(origin + DOCUMENT).then(async (reply) => checkBy(await reply.text()));
  checks.set(origin, known);
  return known;
}

/** Fetches from a server that runs, follows no redirect, and holds the reply against the server's document. */
export async function checkedFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  const check = await checkOf(origin);
  const reply = await fetch(url, { ...options, redirect: "manual" });
  check({
    method: options.method ?? "GET",
    path: pathname + search,
    status: reply.status,
    header: (name) => reply.headers.get(name),
    body: new Uint8Array(await reply.clone().arrayBuffer()),
  });
  return reply;
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const part = (text: string) => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The path that the document has for one that other services' clients use. */
function canonical(path: string): string {
  const [bare = ""] = path.split("?");
  return bare.replace(/^\/avatar\/(?=[^/]+$)/, "/").replace(/\.png$/, "");
}

function patternOf(template: string): RegExp {
  const source = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}
