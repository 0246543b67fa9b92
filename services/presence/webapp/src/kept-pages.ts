/** As the service worker calls it. */
const SHELL = "presence-shell";

/** Has the pages' files kept, so that the board can be read without the server. */
export function keepPages(): void {
  if (!("serviceWorker" in navigator) || !("caches" in globalThis)) return;
  void keep().catch(() => {
    // Not allowed here, or there is no room: the pages work as they do without it.
  });
}

async function keep(): Promise<void> {
  await navigator.serviceWorker.register("/service-worker.js");
  await navigator.serviceWorker.ready;
  const cache = await caches.open(SHELL);
  // What was loaded before the worker was there.
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
  const files = loaded.filter(
    ({ origin, pathname }) => origin === window.location.origin && pathname.startsWith("/assets/"),
  );
  for (const { href } of files) if (!(await cache.match(href))) await keepFile(cache, href);
}

/** As the service worker does: only what the service itself has answered. */
async function keepFile(cache: Cache, href: string): Promise<void> {
  const reply = await fetch(href);
  if (reply.ok && reply.headers.has("x-pages-version")) await cache.put(href, reply);
}
