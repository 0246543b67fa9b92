import { until } from "@frontdesk/testkit/until";
import type { BrowserContext, Page, Route } from "playwright-core";

const PROBE = "**/healthz";
/** A probe that Chromium lost is not waited for. */
const PROBE_LIMIT_MS = 2_000;
const routing = new WeakSet<BrowserContext>();
/** What the routes of a page are busy with. */
const inHand = new WeakMap<Page, Map<unknown, Set<Promise<unknown>>>>();

type What = string | RegExp | ((url: URL) => boolean);

/**
 * A route after which no request slips past it: one that a page sends right after its first route may, and then neither the route
 * nor anybody who waits for that request hears of it.
 */
export async function routed(page: Page, what: What, handle: (route: Route) => unknown): Promise<void> {
  await keepRouting(page.context());
  const busy = busyOf(page, what);
  await page.route(what, async (route) => {
    const handled = Promise.resolve(handle(route)).finally(() => busy.delete(handled));
    busy.add(handled);
    await handled;
  });
  // A page that has not gone anywhere yet is routed from its first request on.
  if (!page.url().startsWith("http")) return;
  await page.route(PROBE, (route) =>
    route.fulfill({ json: { status: "ok" }, headers: { "x-routed": "yes" } }),
  );
  const isRouted = () =>
    page.evaluate(async (limitMs) => {
      const answer = fetch("/healthz", { signal: AbortSignal.timeout(limitMs) });
      return (await answer.catch(() => undefined))?.headers.has("x-routed");
    }, PROBE_LIMIT_MS);
  await until("requests are routed", isRouted);
  await page.unroute(PROBE);
}

/** Takes a route away when it has no request in hand, which it could not answer any more. */
export async function unrouted(page: Page, what: What): Promise<void> {
  await Promise.all(busyOf(page, what));
  await page.unroute(what);
}

function busyOf(page: Page, what: What): Set<Promise<unknown>> {
  const routes = inHand.get(page) ?? new Map();
  inHand.set(page, routes);
  const key = what instanceof RegExp ? what.source : what;
  const busy = routes.get(key) ?? new Set();
  routes.set(key, busy);
  return busy;
}

/** Chromium leaves requests unanswered that are sent while the last route is taken away: one stays, which is nobody's. */
async function keepRouting(context: BrowserContext): Promise<void> {
  if (routing.has(context)) return;
  routing.add(context);
  await context.route(
    () => false,
    (route) => route.continue(),
  );
}

/** Holds what a page writes there until it is let go. */
export async function heldWrites(page: Page, what: What) {
  const { promise: isLetGo, resolve } = Promise.withResolvers<void>();
  let isSent = false;
  await routed(page, what, async (route) => {
    if (route.request().method() !== "GET") {
      isSent = true;
      await isLetGo;
    }
    await route.continue();
  });
  return {
    sent: () => until("it is sent", () => isSent),
    letGo: async () => {
      resolve();
      await unrouted(page, what);
    },
  };
}
