import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
export interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
}
export interface SeenReply {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Replies without a schema: a file or a stream. */
const NO_SCHEMA = new Set(["text/plain", "text/csv", "text/event-stream"]);
const FORMATS = { "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } as const;

/** Throws when the document that the manager publishes does not foretell a reply. */
export function openApiCheck(document: OpenApi): (reply: SeenReply) => void {
  const ajv = new Ajv2020({ strict: false, coerceTypes: false, formats: FORMATS });
  ajv.addSchema({ $id: "openapi:document", ...document });
  const validators = new Map<string, ValidateFunction>();
  const routes = Object.keys(document.paths)
    .map((template) => ({ template, pattern: patternOf(template), holes: template.split("{").length }))
    // What is named exactly comes before what has a hole there.
    .sort((one, other) => one.holes - other.holes);

  return ({ method, path, status, type: header, text }) => {
    const [bare = ""] = path.split("?", 1);
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const route = routes.find(
      ({ template, pattern }) => pattern.test(bare) && document.paths[template]?.[name],
    );
    if (!route || !bare.startsWith("/api/")) return;
    const where = `${method} ${route.template} ${status}`;
    const responses = document.paths[route.template]?.[name]?.responses ?? {};
    const code = [String(status), `${String(status)[0]}XX`].find((each) => Object.hasOwn(responses, each));
    if (code === undefined) throw new Error(`${where} is not in the OpenAPI document: ${text}`);
    const [type = ""] = header.split(";", 1);
    const content = responses[code]?.content;
    if (text === "") {
      if (content && status !== 204) throw new Error(`${where} should have a body`);
      return;
    }
    if (NO_SCHEMA.has(type)) return;
    if (!content?.[type])
      throw new Error(`${where} came as ${type || "nothing"}, which the document does not say`);
    const pointer = ["paths", route.template, name, "responses", code, "content", type, "schema"]
      .map(partOf)
      .join("/");
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi:document#/${pointer}` });
    validators.set(pointer, validate);
    if (!validate(JSON.parse(text)))
      throw new Error(`${where} is not what the document says: ${ajv.errorsText(validate.errors)}\n${text}`);
  };
}

/** Of a JSON pointer in an address. */
const partOf = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

const patternOf = (template: string) =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`);
