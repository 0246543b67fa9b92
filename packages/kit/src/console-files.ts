import { existsSync } from "node:fs";
import { join } from "node:path";
import staticFiles from "@fastify/static";
import type { HttpServer } from "./http-server.ts";

export interface ConsoleFiles {
  /** Where the built console is; where it was not built, nothing is served. */
  readonly folder: string;
  /** The addresses of its pages; which of them it is, it finds out by itself. */
  readonly pages: readonly string[];
  /** Where else pictures may come from and data may be fetched. */
  readonly alsoFrom?: readonly string[];
}

/**
 * A built console: hashed files that never change, and one page under many names, with a strict policy.
 * Where the build has laid a compressed twin beside a file, whoever takes it gets that. Only these files:
 * what is made for one caller is never compressed, since its length would tell of the secrets in it.
 */
export async function serveConsole(
  app: HttpServer,
  { folder, pages, alsoFrom = [] }: ConsoleFiles,
): Promise<void> {
  if (!existsSync(join(folder, "index.html"))) return;
  const also = alsoFrom.map((place) => ` ${place}`).join("");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The component library puts its measures into style elements.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${also}`,
    "font-src 'self'",
    `connect-src 'self'${also}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  await app.register(staticFiles, {
    root: folder,
    index: false,
    wildcard: false,
    decorateReply: true,
    schemaHide: true,
    cacheControl: false,
    preCompressed: true,
    // The twins answer under the names of their originals alone.
    globIgnore: ["**/*.br", "**/*.gz"],
    setHeaders: (reply, path) => {
      const hashed = path.startsWith(join(folder, "assets"));
      reply.header("cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
      reply.header("content-security-policy", PART_OF_PAGE.test(path) ? NOTHING : policy);
    },
  });
  for (const page of pages)
    app.get(page, { schema: { hide: true } }, (_request, reply) => reply.sendFile("index.html"));
  // A mistyped address, or one with a slash at its end, is told by the page; a program gets its error as before.
  app.get("/*", { schema: { hide: true } }, (request, reply) => {
    if (!isForPerson(request.headers.accept)) return reply.callNotFound();
    // Without validators: to a browser that has it already, a 404 would come without its page.
    return reply.code(404).sendFile("index.html", { etag: false, lastModified: false });
  });
}

/**
 * Opened by itself, a script or a style may do nothing; the long policy with each would only weigh on the first load. A
 * service worker goes by the policy of its own script, and fetches what it keeps.
 */
const NOTHING = "default-src 'none'";
const PART_OF_PAGE = /(?<!\bservice-worker)\.(js|css|woff2|map)(\.br|\.gz)?$/;

/** Browsers ask for a page by naming HTML; programs, and pages for their data, do not. */
const isForPerson = (accept = "") => accept.includes("text/html");
