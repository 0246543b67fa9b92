import { createHash } from "node:crypto";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { completeDocument, DOCUMENT_PATH } from "./openapi.ts";
import { PROBLEM_CODES } from "./problem.ts";

/** The parts of an OpenAPI document that the page shows. */
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
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
type Schema = Record<string, unknown>;
interface Document {
  readonly info: { title: string; description: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Schema> };
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328}
h1,h2,h3{line-height:1.2}h2{border-bottom:1px solid #d0d7de;padding-bottom:.3rem;margin-top:2.5rem}
code,pre{font:14px/1.45 ui-monospace,monospace;background:#f6f8fa;border-radius:4px}code{padding:.1rem .3rem}
pre{padding:.8rem;overflow:auto}table{border-collapse:collapse;width:100%}td,th{border-top:1px solid #d0d7de;padding:.3rem .5rem;text-align:left;vertical-align:top}
details{border:1px solid #d0d7de;border-radius:6px;margin:.6rem 0;padding:.5rem .8rem}summary{cursor:pointer}
.verb{display:inline-block;min-width:4.2rem;font-weight:600}nav a{margin-right:1rem}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}code,pre{background:#161b22}a{color:#4493f8}td,th,details,h2{border-color:#30363d}}`;

const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'`;

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
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const body = [
    `<h1>${escaped(document.info.title)}</h1>`,
    document.info.description
      .split("\n\n")
      .map((paragraph) => `<p>${inline(paragraph)}</p>`)
      .join(""),
    `<nav>${[...tags, "webhooks", "schemas", "errors"].map((name) => `<a href="#${name}">${name}</a>`).join("")}<a href="${DOCUMENT_PATH}">openapi.json</a></nav>`,
    ...tags.map(
      (tag) =>
        `<h2 id="${tag}">${tag}</h2>${operations
          .filter(({ operation }) => operation.tags?.includes(tag))
          .map(({ path, verb, operation }) => section(verb.toUpperCase(), path, operation))
          .join("")}`,
    ),
    `<h2 id="webhooks">webhooks</h2>${Object.entries(document.webhooks)
      .map(([type, { post }]) => (post ? section("event", type, post) : ""))
      .join("")}`,
    `<h2 id="schemas">schemas</h2>${Object.entries(document.components.schemas)
      .map(([name, schema]) => `<h3 id="schema-${name}">${name}</h3>${schemaTable(schema)}`)
      .join("")}`,
    `<h2 id="errors">errors</h2><table><tr><th>code<th>meaning</tr>${Object.entries(PROBLEM_CODES)
      .map(([code, words]) => `<tr id="${code}"><td><code>${code}</code><td>${inline(words)}</tr>`)
      .join("")}</table>`,
  ];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(document.info.title)}</title><style>${STYLE}</style><body>${body.join("\n")}</body></html>`;
}

function section(verb: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code>${required ? " *" : ""}<td>${place}<td>${typeName(schema ?? {})}<td>${inline(description ?? String(schema?.description ?? ""))}</tr>`,
  );
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const replies = Object.entries(operation.responses).map(([status, reply]) => {
    const schema = Object.values(reply.content ?? {})[0]?.schema;
    return `<tr><td>${status}<td>${inline(reply.description ?? "")}<td>${schema ? typeName(schema) : ""}</tr>`;
  });
  return [
    `<details id="${escaped(operation.operationId ?? path)}"><summary><span class="verb">${verb}</span> <code>${escaped(path)}</code> ${escaped(operation.summary ?? "")}</summary>`,
    operation.description ? `<p>${inline(operation.description)}</p>` : "",
    parameters.length > 0
      ? `<table><tr><th>parameter<th>in<th>type<th></tr>${parameters.join("")}</table>`
      : "",
    body ? `<h4>body</h4>${schemaTable(body)}` : "",
    `<h4>answers</h4><table>${replies.join("")}</table></details>`,
  ].join("");
}

function schemaTable(schema: Schema): string {
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (!properties) return `<p>${typeName(schema)}</p>`;
  const required = (schema.required ?? []) as string[];
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? " *" : ""}<td>${typeName(field)}<td>${inline(String(field.description ?? ""))}${field.properties ? schemaTable(field) : ""}</tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function typeName(schema: Schema): string {
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return `<a href="#schema-${name}">${escaped(name)}</a>`;
  }
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).map(typeName).join(" or ");
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (Array.isArray(schema.enum))
    return schema.enum.map((word) => `<code>${escaped(String(word))}</code>`).join(" ");
  if (schema.type === "array") return `list of ${typeName((schema.items ?? {}) as Schema)}`;
  return escaped([schema.type ?? "anything", schema.format].filter(Boolean).join(", "));
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");
