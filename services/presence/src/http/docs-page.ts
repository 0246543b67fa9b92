import { createHash } from "node:crypto";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { DOCS_STYLE } from "./docs-style.ts";
import { completeDocument, DOCUMENT_PATH, SIGNATURE_HEADERS } from "./openapi.ts";
import { PROBLEM_CODES, PROBLEM_STATUS } from "./problem.ts";

/** The parts of an OpenAPI document that the page shows. */
type Schema = Record<string, unknown>;
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: ReadonlyArray<{ token: readonly string[] }>;
  readonly parameters?: ReadonlyArray<{
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }>;
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  readonly info: { title: string; description: string };
  readonly servers: ReadonlyArray<{ url: string }>;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Schema> };
}

const BASE = "/api/v1/external/orgs/{org}/";
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(DOCS_STYLE).digest("base64")}'; img-src data:; frame-ancestors 'none'`;

/** A page for people, drawn from the same document that programs read. */
export function docsPage(app: HttpServer): void {
  let page: string | undefined;
  app.get("/docs", { schema: { hide: true } }, (_request, reply) => {
    page ??= render(
      completeDocument(app.swagger() as unknown as Record<string, unknown>) as unknown as Document,
    );
    return reply.header("content-security-policy", POLICY).type("text/html; charset=utf-8").send(page);
  });
}

function render(document: Document): string {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(BASE))
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => ({ path: path.slice(BASE.length), verb, operation })),
    );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const links = [...tags, "webhooks", "schemas", "errors"].map(
    (name) => `<li><a href="#${name}">${name}</a></li>`,
  );
  const title = escaped(document.info.title);
  const main = [
    `<h1>${title}</h1>`,
    ...document.info.description.split("\n\n").map((paragraph) => `<p>${inline(paragraph)}</p>`),
    `<p>Paths are relative to <code>${escaped((document.servers[0]?.url ?? "") + BASE)}</code></p>`,
    ...tags.map(
      (tag) =>
        `<h2 id="${tag}">${tag}</h2>${operations
          .filter(({ operation }) => operation.tags?.includes(tag))
          .map(({ path, verb, operation }) => endpoint(verb, path, operation))
          .join("")}`,
    ),
    `<h2 id="webhooks">webhooks</h2><p>Each delivery is a POST with these headers; verify one of the two signatures over the raw body before you trust it.</p>`,
    table(Object.entries(SIGNATURE_HEADERS).map(([name, words]) => field(name, "header", words))),
    ...Object.entries(document.webhooks).map(([type, { post }]) => (post ? webhook(type, post) : "")),
    `<h2 id="schemas">schemas</h2>`,
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `<h3 id="schema-${name}">${name}</h3>${fields(schema)}`,
    ),
    `<h2 id="errors">errors</h2><p>The <code>code</code> of a problem, and what it means.</p>`,
    `<table>${Object.entries(PROBLEM_CODES)
      .map(
        ([code, words]) =>
          `<tr id="${code}"><th><code>${code}</code></th><td><span class="soft">${PROBLEM_STATUS[code]}</span> ${inline(words)}</td></tr>`,
      )
      .join("")}</table>`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="icon" href="data:,"><style>${DOCS_STYLE}</style></head>
<body><nav aria-label="Contents"><ul>${links.join("")}<li class="as-is"><a href="${DOCUMENT_PATH}">openapi.json</a></li></ul></nav>
<main>${main.join("\n")}</main></body></html>`;
}

function endpoint(verb: string, path: string, operation: Operation): string {
  const scopes = (operation.security ?? []).map(({ token }) =>
    token.map((scope) => `<code>${scope}</code>`).join(" and "),
  );
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== "org");
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const [answers, refusals] = [true, false].map((good) =>
    Object.entries(operation.responses).filter(([status]) => Number(status) < 400 === good),
  );
  return entry(verb.toUpperCase(), verb, path, operation, [
    scopes.length > 0 ? `<p>Scope ${scopes.join(", or ")}</p>` : "",
    operation.description ? `<p>${inline(operation.description)}</p>` : "",
    parameters.length > 0
      ? `<h4>Parameters</h4>${table(
          parameters.map(({ name, in: place, required, description, schema = {} }) =>
            field(
              name,
              `${typeName(schema)} in the ${place}${required ? ", required" : ""}`,
              description ?? String(schema.description ?? ""),
            ),
          ),
        )}`
      : "",
    body ? `<h4>Body</h4>${fields(body)}${example(body)}` : "",
    `<h4>Answers</h4>${statusTable(answers ?? [])}`,
    refusals?.length ? `<h4>Refusals, as a <a href="#schema-Problem">Problem</a></h4>` : "",
    refusals?.length
      ? statusTable(refusals.map(([status, { description = "" }]) => [status, { description }]))
      : "",
  ]);
}

function webhook(type: string, operation: Operation): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
  return entry("event", "event", type, operation, [`<h4>Body</h4>${fields(body)}`]);
}

function entry(mark: string, kind: string, name: string, operation: Operation, inside: string[]): string {
  return `<details id="${escaped(operation.operationId ?? name)}"><summary><span class="verb ${kind}">${mark}</span><code>${escaped(name)}</code><span class="soft">${escaped(operation.summary ?? "")}</span></summary><div>${inside.join("")}</div></details>`;
}

function statusTable(replies: ReadonlyArray<[string, Operation["responses"][string]]>): string {
  const rows = replies.map(([status, { description = "", content = {} }]) => {
    const schema = Object.values(content)[0]?.schema;
    return `<tr><th><code>${status}</code></th><td>${inline(description)}${schema ? ` ${typeName(schema)}` : ""}</td></tr>`;
  });
  return `<table class="narrow">${rows.join("")}</table>`;
}

const table = (rows: readonly string[]): string => `<table>${rows.join("")}</table>`;

const field = (name: string, type: string, words: string): string =>
  `<tr><th><code>${escaped(name)}</code></th><td><span class="soft">${type}</span> ${inline(words)}</td></tr>`;

/** The fields of a schema, those of what is within it by their whole path. */
function fields(schema: Schema): string {
  return schema.properties ? table(rowsOf(schema, "")) : `<p>${typeName(schema)}</p>`;
}

function rowsOf(schema: Schema, prefix: string): string[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, inner]) => {
    const path = prefix + name;
    const need = required.includes(name) ? "" : ", optional";
    const items = inner.type === "array" ? ((inner.items ?? {}) as Schema) : {};
    return [
      field(path, typeName(inner) + need, String(inner.description ?? "")),
      ...rowsOf(inner, `${path}.`),
      ...rowsOf(items, `${path}[].`),
    ];
  });
}

/** A body to begin with, made of the examples that its fields give. */
function example(schema: Schema): string {
  const sample = sampleOf(schema);
  return sample === undefined ? "" : `<h4>Example</h4><pre>${escaped(JSON.stringify(sample, null, 2))}</pre>`;
}

function sampleOf(schema: Schema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.type === "array") return [sampleOf((schema.items ?? {}) as Schema)];
  if (!schema.properties) return undefined;
  const named = Object.entries(schema.properties as Record<string, Schema>).map(
    ([name, inner]) => [name, sampleOf(inner)] as const,
  );
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

function typeName(schema: Schema): string {
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `<a href="#schema-${name}">${escaped(name)}</a>`;
  }
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).map(typeName).join(" or ");
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.length} words`;
  if (schema.type === "array") return `list of ${typeName((schema.items ?? {}) as Schema)}`;
  return escaped([schema.type ?? "anything", schema.format].filter(Boolean).join(", "));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
