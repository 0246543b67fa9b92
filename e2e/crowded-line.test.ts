import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";
import { routed } from "./routed.ts";

test("a server that has no live line left is not told as one that does not answer", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  let isCrowded = true;
  await routed(page, /\/events(\?|$)/, (route) =>
    isCrowded
      ? route.fulfill({ status: 429, json: { error: { code: "RATE_LIMITED", message: "Too many." } } })
      : route.continue(),
  );
  await page.goto(`${desk.url}/printers`);
  await page.getByLabel("Administrator's token", { exact: true }).fill(desk.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  const banner = page.getByRole("status").filter({ hasText: "What you see is as of" });
  await banner.getByText(/^Too many pages are open on this server/).waitFor();
  await readable(page);
  isCrowded = false;
  await banner.waitFor({ state: "detached" });
});
