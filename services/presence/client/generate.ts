import { readFileSync } from "node:fs";

/** Writes a typed client from the OpenAPI document: a function for each operation, a type for each schema. */

type Schema = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { post: Operation }>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

export function generateClient(document: Document): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/api/"))
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => method(path, verb.toUpperCase(), operation)),
    );
  const deliveries = Object.entries(document.webhooks).map(
    ([type, { post }]) => `  ${JSON.stringify(type)}: ${bodyType(post)};`,
  );
  return [
    "// Generated from the OpenAPI document. Do not edit: `node services/presence/client/write.ts` writes it.",
    "",
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`,
    ),
    "/** What each webhook carries, by event type. */",
    `export interface Deliveries {\n${deliveries.join("\n")}\n}\n`,
    readFileSync(new URL("./call.ts.txt", import.meta.url), "utf8"),
    "export function presenceClient(options: ClientOptions) {",
    "  const call = createCall(options);",
    `  return {\n${operations.join("\n")}\n  };`,
    "}",
    "",
    "export type PresenceClient = ReturnType<typeof presenceClient>;",
    "",
  ].join("\n");
}

function method(path: string, verb: string, operation: Operation): string {
  // The organisation belongs to the client as a whole.
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== "org");
  const fields = parameters.map(
    ({ name, required, schema }) => `${fieldName(name)}${required ? "" : "?"}: ${typeOf(schema)}`,
  );
  if (operation.requestBody) fields.push(`body: ${bodyType(operation)}`);
  const optional = fields.every((field) => /^\w+\?:/.test(field));
  const input = fields.length === 0 ? "" : `input: { ${fields.join("; ")} }${optional ? " = {}" : ""}`;
  const replies = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => (content ? typeOf(Object.values(content)[0]?.schema ?? {}) : "undefined"));
  const template = path
    .replace(/^\/api\/v1\/external\/orgs\/\{org\}/, "")
    .replace(/\{(\w+)\}/g, (_, name) => `\${segment(input.${name})}`);
  const pick = (place: Parameter["in"]) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => `${JSON.stringify(name)}: input.${fieldName(name)}`)
      .join(", ");
  const details = [
    pick("query") && `query: { ${pick("query")} }`,
    pick("header") && `headers: { ${pick("header")} }`,
    operation.requestBody && "body: input.body",
  ].filter(Boolean);
  const quote = template.includes("${") ? `\`${template}\`` : JSON.stringify(template);
  const rest = details.length > 0 ? `, { ${details.join(", ")} }` : "";
  return [
    `    /** ${operation.summary ?? operation.operationId}. */`,
    `    ${operation.operationId}: (${input}) => call<${[...new Set(replies)].join(" | ")}>("${verb}", ${quote}${rest}),`,
  ].join("\n");
}

const fieldName = (name: string): string => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

const bodyType = (operation: Operation): string =>
  typeOf(Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {});

function typeOf(schema: Schema): string {
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1) ?? "unknown";
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `Array<${typeOf(schema.items as Schema)}>`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType(schema: Schema): string {
  const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, Schema>);
  if (!schema.properties) return `Record<string, ${patterns[0] ? typeOf(patterns[0]) : "unknown"}>`;
  const required = new Set((schema.required ?? []) as string[]);
  const fields = Object.entries(schema.properties as Record<string, Schema>).map(
    ([name, field]) => `${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${typeOf(field)}`,
  );
  return `{ ${fields.join("; ")} }`;
}
