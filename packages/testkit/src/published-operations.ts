import { isDeepStrictEqual } from "node:util";

interface Schema {
  readonly [keyword: string]: unknown;
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Published {
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }>;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Published>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
interface Described {
  readonly query?: object;
  readonly body?: object;
  readonly form?: true;
  readonly reply: object;
}

/** In what a table of operations differs from the OpenAPI document that a service publishes under a base path. */
export function unpublished(
  document: OpenApi,
  table: Readonly<Record<string, Described>>,
  { base = "", shared = {} }: { base?: string; shared?: Readonly<Record<string, object>> } = {},
): string[] {
  const components = document.components?.schemas ?? {};
  const plain = (schema: unknown) => comparable(schema, { ...shared, ...components });
  return Object.entries(table).flatMap(([operation, { query, body, form, reply }]) => {
    const [method = "", path = ""] = operation.split(" ");
    const published = document.paths[base + path]?.[method.toLowerCase()];
    if (!published) return [`${operation} is not published`];
    const differing = (what: string, ours: unknown, theirs: unknown) =>
      isDeepStrictEqual(ours, theirs)
        ? []
        : [`${operation}: ${what} is ${JSON.stringify(theirs)}, not ${JSON.stringify(ours)}`];
    const sent = published.requestBody?.content ?? {};
    const [status = "", answer] =
      Object.entries(published.responses).find(([code]) => code.startsWith("2")) ?? [];
    return [
      ...differing("the query", namesOf(query as Schema | undefined), askedIn(published)),
      ...differing("the body", body && plain(body), plain(sent["application/json"]?.schema)),
      ...differing("a form", form ?? false, "multipart/form-data" in sent),
      ...(status === "204"
        ? differing("the reply", (reply as Schema).type, "null")
        : differing("the reply", plain(reply), plain(Object.values(answer?.content ?? {})[0]?.schema))),
    ];
  });
}

const namesOf = (query: Schema = {}) => {
  const required = (query.required ?? []) as string[];
  return Object.keys((query.properties ?? {}) as object)
    .map((name) => `${name}${required.includes(name) ? "" : "?"}`)
    .sort();
};

const askedIn = ({ parameters = [] }: Published) =>
  parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required }) => `${name}${required ? "" : "?"}`)
    .sort();

/** A schema with what it refers to in its place, and without what only people read. */
function comparable(schema: unknown, known: Readonly<Record<string, object>>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => comparable(each, known));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, $id: _id, description: _description, examples: _examples, ...rest } = schema as Schema;
  if (typeof $ref === "string") {
    const name = $ref.replace(/#$/, "").replace(/^.*\//, "");
    return comparable(known[name], known);
  }
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => {
      // As the document writes them.
      if (keyword === "const") return ["enum", [value]];
      if (keyword === "patternProperties")
        return ["additionalProperties", comparable(Object.values(value as object)[0], known)];
      return [keyword, comparable(value, known)];
    }),
  );
}
