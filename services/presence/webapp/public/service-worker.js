/*
 * Keeps the pages' own files, so that the board opens without the server. The server comes first for the page itself:
 * after an upgrade nobody is left with an old one. Files under /assets/ never change, so a kept one is as good.
 * Answers of the API are not kept here: what the board showed last is the page's own business (kept-board.ts).
 * What the network has answered is what the page gets, whether or not there is room to keep it.
 */
const SHELL = "presence-shell";
const PAGE = "/";
/** A server that hangs answers later, or never: by then the kept page is shown. */
const MAX_ANSWER_MS = 5_000;

self.addEventListener("install", (event) => {
  event.waitUntil(keepFirst().catch(nothing));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  // What a share link shows is not kept: it can be revoked.
  if (request.mode === "navigate" && isPage(pathname)) event.respondWith(freshPage(event));
  else if (pathname.startsWith("/assets/")) event.respondWith(keptFile(event));
});

const isPage = (pathname) => !/^\/(api|docs|s|healthz|first-run)(\/|$)/.test(pathname);

async function freshPage(event) {
  const answer = fetch(event.request).then(
    (reply) => {
      if (reply.ok && isOurs(reply) && reply.headers.get("content-type")?.startsWith("text/html"))
        event.waitUntil(keepPage(reply.clone()).catch(nothing));
      return reply;
    },
    (error) => error,
  );
  // What comes later is kept for the next time.
  event.waitUntil(answer);
  const reply = await Promise.race([answer, pause(MAX_ANSWER_MS)]);
  const isAway = !(reply instanceof Response) || isOfProxy(reply);
  const kept = isAway ? await inCache(PAGE) : undefined;
  if (kept) return kept;
  const last = await answer;
  if (last instanceof Response) return last;
  throw last;
}

/** The service names its build with every page and file. What something else answers in its place says nothing of it. */
const isOurs = (reply) => reply.headers.has("x-pages-version");

/** A proxy answers for a service that is stopped; some say that nothing is there. */
const isOfProxy = (reply) =>
  [502, 503, 504].includes(reply.status) || (reply.status === 404 && !isOurs(reply));

async function keepFirst() {
  const reply = await fetch(new Request(PAGE, { cache: "reload" }));
  if (reply.ok && isOurs(reply)) await keepFile(PAGE, reply);
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Files of an earlier release go: those that the new page names are fetched again, the others as they are wanted. */
async function keepPage(reply) {
  const cache = await caches.open(SHELL);
  const before = await cache.keys();
  const page = await reply.clone().text();
  const isNew = (await (await cache.match(PAGE))?.text()) !== page;
  await cache.put(PAGE, reply);
  if (!isNew) return;
  for (const request of before) {
    const { pathname } = new URL(request.url);
    if (pathname !== PAGE && !page.includes(pathname)) await cache.delete(request);
  }
}

async function keptFile(event) {
  const kept = await inCache(event.request);
  if (kept && isOurs(kept)) return kept;
  const reply = await fetch(event.request);
  if (reply.ok && isOurs(reply)) event.waitUntil(keepFile(event.request, reply.clone()).catch(nothing));
  return reply;
}

async function keepFile(request, reply) {
  await (await caches.open(SHELL)).put(request, reply);
}

const inCache = (what) =>
  caches
    .open(SHELL)
    .then((cache) => cache.match(what))
    .catch(nothing);

/** There is no room, or the browser keeps nothing for this site: the pages work as they do without it. */
function nothing() {}
