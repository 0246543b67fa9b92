import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { DOCUMENT_PATH } from "./openapi.ts";
import { PROBLEM_CODES, PROBLEM_STATUS } from "./problem.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const { resolve } = createRequire(import.meta.url);
const ours = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const FILES = [
  { name: "swagger-ui.css", path: resolve("swagger-ui-dist/swagger-ui.css") },
  { name: "swagger-ui-bundle.js", path: resolve("swagger-ui-dist/swagger-ui-bundle.js") },
  { name: "viewer.css", path: ours("viewer.css") },
  { name: "viewer.js", path: ours("viewer.js") },
];

/** A page for people: Swagger UI over the document that programs read, and what each problem means. */
export function docsPage(app: HttpServer): void {
  app.get("/docs", { schema: { hide: true } }, (_request, reply) =>
    reply.header("content-security-policy", POLICY).type("text/html; charset=utf-8").send(PAGE),
  );
  for (const { name, path } of FILES) {
    let packed: Promise<Buffer> | undefined;
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    app.get(`/docs/${name}`, { schema: { hide: true } }, async (request, reply) => {
      reply.headers({ "cache-control": "public, max-age=3600", vary: "accept-encoding" });
      reply.type(`${type}; charset=utf-8`);
      if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(await readFile(path));
      packed ??= readFile(path)
        .then(promisify(gzip))
        .catch((error) => {
          packed = undefined;
          throw error;
        });
      return reply.header("content-encoding", "gzip").send(await packed);
    });
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");

/** The type of a problem leads to its row. */
const PROBLEMS = Object.entries(PROBLEM_CODES).map(
  ([code, words]) =>
    `<tr id="${code}"><th scope="row"><code>${code}</code></th><td>${PROBLEM_STATUS[code]}</td><td>${inline(words)}</td></tr>`,
);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Frontdesk Presence</title>
<link rel="icon" href="data:,">
<link rel="describedby" type="application/json" href="${DOCUMENT_PATH}">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/viewer.css">
<script defer src="/docs/swagger-ui-bundle.js"></script>
<script defer src="/docs/viewer.js"></script>
</head>
<body>
<div id="viewer"></div>
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Problems</h2>
<p>The <code>code</code> of a refusal, its status, and what it means.</p>
<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${PROBLEMS.join("\n")}</tbody></table>
</section>
</body>
</html>
`;
