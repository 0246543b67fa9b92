/*
 * Keeps the pages' own files, so that the board opens without the server. The server comes first for the page itself:
 * after an upgrade nobody is left with an old one. Files under /assets/ never change, so a kept one is as good.
 * Answers of the API are not kept here: what the board showed last is the page's own business (kept-board.ts).
 */
const SHELL = "presence-shell";
const PAGE = "/";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.add(new Request(PAGE, { cache: "reload" }))));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  // What a share link shows is not kept: it can be revoked.
  if (request.mode === "navigate" && isPage(pathname)) event.respondWith(freshPage(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(keptFile(request));
});

const isPage = (pathname) => !/^\/(api|docs|s|healthz|first-run)(\/|$)/.test(pathname);

async function freshPage(request) {
  const cache = await caches.open(SHELL);
  try {
    const reply = await fetch(request);
    if (reply.ok && reply.headers.get("content-type")?.startsWith("text/html")) {
      const page = await reply.clone().text();
      const before = await (await cache.match(PAGE))?.text();
      await cache.put(PAGE, reply.clone());
      if (before !== page) await dropOldFiles(cache, page);
    }
    return reply;
  } catch (error) {
    const kept = await cache.match(PAGE);
    if (kept) return kept;
    throw error;
  }
}

/** Files of an earlier release: those that the new page names are fetched again, the others as they are wanted. */
async function dropOldFiles(cache, page) {
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname !== PAGE && !page.includes(pathname)) await cache.delete(request);
  }
}

async function keptFile(request) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request);
  if (kept) return kept;
  const reply = await fetch(request);
  if (reply.ok) await cache.put(request, reply.clone());
  return reply;
}
