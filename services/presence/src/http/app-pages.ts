import { serveConsole } from "@frontdesk/kit/console-files";
import type { HttpServer } from "@frontdesk/kit/http-server";

const PAGES = ["/", "/sign-in", "/first-run"];
/** The pages of an organisation and behind share links; the web app finds out by itself which it is. */
const DEEP_PAGE = /^\/(?!(?:api|docs|assets|healthz)(?:\/|$))[a-z0-9-]{1,63}(?:\/[\w.~%-]{1,200}){0,5}$/;
/** What answers an address that nothing else does: to a person with the page, as not found. */
const ANY = "/*";

/** The built web app, under all its addresses. A program that asks for one of them gets its error as before. */
export async function servePages(
  app: HttpServer,
  folder: string | undefined,
  avatarUrl: string,
  version: string,
): Promise<void> {
  if (!folder) return;
  app.addHook("onSend", async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    // What a share link shows is for those who have it.
    if (path.startsWith("/s/")) reply.header("x-robots-tag", "noindex");
    const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
    const isFile = request.routeOptions.url !== ANY && path.startsWith("/assets/");
    // By this an open page knows before it loads itself anew whether it would get another one, and what may be kept.
    if (isPage || isFile) reply.header("x-pages-version", version.split(".", 1)[0]);
    if (request.routeOptions.url === ANY && isPage && DEEP_PAGE.test(path)) reply.code(200);
  });
  await serveConsole(app, { folder, pages: PAGES, alsoFrom: [new URL(avatarUrl).origin] });
}
