import { until } from "@frontdesk/testkit/until";
import type { Page, Route } from "playwright-core";

const PROBE = "**/healthz";

/**
 * A route after which no request slips past it: one that a page sends right after its first route may, and then neither the route
 * nor anybody who waits for that request hears of it.
 */
export async function routed(
  page: Page,
  what: string | RegExp | ((url: URL) => boolean),
  handle: (route: Route) => unknown,
): Promise<void> {
  await page.route(what, handle);
  await page.route(PROBE, (route) =>
    route.fulfill({ json: { status: "ok" }, headers: { "x-routed": "yes" } }),
  );
  const isRouted = () =>
    page.evaluate(async () => (await fetch("/healthz").catch(() => undefined))?.headers.has("x-routed"));
  await until("requests are routed", isRouted);
  await page.unroute(PROBE);
}
