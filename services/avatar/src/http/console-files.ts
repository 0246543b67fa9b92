import { existsSync } from "node:fs";
import { join } from "node:path";
import staticFiles from "@fastify/static";
import type { HttpServer } from "@frontdesk/kit/http-server";

/** The pages of the console; which of them it is, it finds out by itself. */
const PAGES = ["/", "/sign-in", "/editor", "/upload", "/photo", "/emails", "/security", "/use", "/admin"];

/** The built console, where there is one: hashed files that never change, and one page under many names. */
export async function serveConsole(app: HttpServer, folder: string, mediaUrl: string): Promise<void> {
  if (!existsSync(join(folder, "index.html"))) return;
  const media = new URL(mediaUrl).origin;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The component library puts its measures into style elements.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${media}`,
    "font-src 'self'",
    `connect-src 'self' ${media}`,
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
    setHeaders: (reply, path) => {
      const hashed = path.startsWith(join(folder, "assets"));
      reply.header("cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache");
      reply.header("content-security-policy", policy);
    },
  });
  for (const page of PAGES)
    app.get(page, { schema: { hide: true } }, (_request, reply) => reply.sendFile("index.html"));
}
