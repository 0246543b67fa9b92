import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import { printDesk } from "./print-desk.ts";
import { routed } from "./routed.ts";

test("while the files of a page are late, the window's title says where one is going", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await routed(page, /\/assets\/audit-/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${desk.url}/printers`);
  await page.getByLabel("Administrator's token", { exact: true }).fill(desk.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await untilEqual(() => page.title(), "Printers · Frontdesk");
  const pages = page.getByRole("navigation", { name: "Pages" });
  const name = (await pages.locator("a[href='/audit']").textContent()) ?? "";
  await pages.getByRole("link", { name, exact: true }).click();
  await page.getByText("Loading …").waitFor();
  t.assert.equal(await page.title(), `${name} · Frontdesk`);
  release();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  // What a page says of itself is more than what the menu says of it.
  await page.goto(`${desk.url}/printers/~new`);
  await page.getByRole("heading", { level: 1, name: "Add a printer" }).waitFor();
  await untilEqual(() => page.title(), "Add a printer · Frontdesk");
});
