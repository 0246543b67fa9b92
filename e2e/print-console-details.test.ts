import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { until, untilEqual } from "@frontdesk/testkit/until";
import type { BrowserContext, Page } from "playwright-core";
import { closeMessages, fits } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";

const PRINTERS = 31;
/** Nobody listens there. */
const AWAY = "127.0.0.1:9";
const SHOP = "https://shop.example";
const RIGHTS = { raw: false, templates: true, rfid: false };

test("the small things of the print console that people stumbled over stay mended", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const { admin } = desk;
  const add = (id: string, name: string, more: object = {}) =>
    admin("PUT", `printers/${id}`, {
      id,
      name,
      transport: "virtual",
      address: "",
      languages: ["zpl"],
      dpmm: 8,
      rfid: false,
      feedback: "printer",
      widthMm: 100,
      heightMm: 50,
      ...more,
    });
  const heading = (name: string | RegExp, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
  const signIn = async (on: Page, path: string) => {
    await on.goto(desk.url + path);
    await on.getByLabel("Administrator's token").fill(desk.token);
    await on.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await signIn(page, "/printers");
  await heading("Printers");

  await t.test("on a new home the first steps are listed, and ticked off as they are done", async () => {
    const steps = page.getByRole("region", { name: "First steps" });
    await steps
      .getByRole("listitem")
      .filter({ hasText: "Print a test label" })
      .getByLabel("To do:")
      .waitFor();
    await page.getByRole("button", { name: "Print a test label on Virtual printer" }).click();
    await page.getByRole("link", { name: "See the job" }).waitFor();
    await steps.getByRole("listitem").filter({ hasText: "Print a test label" }).getByLabel("Done:").waitFor();
    await closeMessages(page);
  });

  await t.test("the release that runs is named", async () => {
    await page.getByText(/^Version \d+\.\d+\.\d+$/).waitFor();
  });

  await t.test("nothing on the page moves when the files of the label's editor come", async () => {
    const body = `^XA\n${"^FO1,1^FDone^FS\n".repeat(40)}^XZ\n`;
    await admin("PUT", "templates/tall", { id: "tall", name: "Tall", language: "zpl", dpmm: 8, body });
    for (const path of ["/templates/~new", "/templates/tall"]) {
      const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
      const fresh: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const view: Page = await fresh.newPage();
      view.setDefaultTimeout(PAGE_LIMIT_MS);
      await view.route("**/code-editor*.js", async (route) => {
        await isLetGo;
        await route.continue();
      });
      await signIn(view, path);
      const place = async () => {
        const box = await view.getByRole("button", { name: "Save", exact: true }).boundingBox();
        return [Math.round(box?.x ?? -1), Math.round(box?.y ?? -1)];
      };
      const loading = view.getByLabel("Loading", { exact: true });
      await loading.waitFor();
      const before = await place();
      letGo();
      await view.getByLabel("Label", { exact: true }).waitFor();
      assert.deepEqual([await loading.count(), await place()], [0, before], path);
      await fresh.close();
    }
  });

  await t.test("a short name comes of any name, in whatever script it is written", async () => {
    await page.goto(`${desk.url}/printers/~new`);
    const name = page.getByLabel("Name", { exact: true });
    const short = page.getByLabel("Short name");
    await name.fill("Lager Süd – Straße 5");
    await untilEqual(() => short.inputValue(), "lager-sued-strasse-5");
    await name.fill("倉庫");
    await untilEqual(() => short.inputValue(), "printer-1");
    await name.fill("");
    await page.getByText(/^Still missing: .*a name/).waitFor();
    await name.fill("");
  });

  await t.test("how long ago something was is kept right, and exactly when is told by a tap", async () => {
    const phone = await browser.newContext({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      reducedMotion: "reduce",
    });
    const view = await phone.newPage();
    view.setDefaultTimeout(PAGE_LIMIT_MS);
    await view.clock.install();
    await signIn(view, "/jobs");
    const moment = view.getByRole("grid", { name: "Jobs" }).locator("time").first();
    await moment.waitFor();
    await view.clock.fastForward("05:00");
    await moment.filter({ hasText: "5 minutes ago" }).waitFor();
    await view.goto(`${desk.url}/log`);
    const line = view.getByRole("table", { name: "Log" }).locator("time").first();
    await line.tap();
    const year = new Date((await line.getAttribute("datetime")) ?? "").getFullYear();
    await view
      .getByRole("tooltip")
      .filter({ hasText: String(year) })
      .waitFor();
    await view.getByRole("heading", { level: 1 }).tap();
    await view.getByRole("tooltip").waitFor({ state: "hidden" });
    await phone.close();
  });

  await t.test("what a finger must hit is 44 pixels high, on every page", async () => {
    const phone = await browser.newContext({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      reducedMotion: "reduce",
    });
    const view = await phone.newPage();
    view.setDefaultTimeout(PAGE_LIMIT_MS);
    await signIn(view, "/printers");
    for (const path of [
      "/printers",
      "/printers/virtual",
      "/jobs",
      "/templates",
      "/origins",
      "/audit",
      "/log",
    ]) {
      await view.goto(desk.url + path);
      await heading(/./, view);
      await until("the page has loaded", async () => (await view.getByText("Loading …").count()) === 0);
      const small = await view.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            "button, a.mantine-Button-root, a.mantine-ActionIcon-root, select, input, [role=switch]",
          ),
        ]
          // A tick has its label to be hit by.
          .filter((each) => !each.matches("[type=checkbox], [type=radio], [type=file], [type=hidden]"))
          .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 1)
          .filter((each) => each.getBoundingClientRect().height < 44)
          .map((each) => `${each.tagName} ${each.ariaLabel ?? each.textContent}`),
      );
      assert.deepEqual(small, [], path);
    }
    await phone.close();
  });

  await t.test("a test label for a printer that is away waits, says so, and leads to its job", async () => {
    await add("away", "Shipping", { transport: "tcp", address: AWAY });
    await page.goto(`${desk.url}/printers/away`);
    await page.getByText("Offline", { exact: true }).first().waitFor();
    const { status } = await fetch(`${desk.url}/api/v1/admin/printers/away/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${desk.token}` },
    });
    assert.equal(status, 503, "nothing is promised for a printer that was never there");
    await page.getByRole("button", { name: "Print a test label" }).click();
    await page
      .getByText("The printer does not answer. Is it switched on, and is its address right?")
      .waitFor();
    await closeMessages(page);
  });

  await t.test(
    "a printer that is away is in the log once, by its name, and counted in the menu",
    async () => {
      await page.getByRole("link", { name: /^Printers.*1/ }).waitFor();
      await page.goto(`${desk.url}/log?q=offline`);
      const lines = page.getByRole("table", { name: "Log" }).getByRole("row").filter({ hasText: AWAY });
      await lines.first().waitFor();
      // It was asked many times since.
      for (let asked = 0; asked < 3; asked++) {
        await admin("GET", "printers");
        await page.reload();
        await lines.first().waitFor();
      }
      await untilEqual(() => lines.count(), 1);
      assert.match((await lines.textContent()) ?? "", /printer is offline.*away/);
    },
  );

  await t.test("a search of the log that finds nothing says so, and no more", async () => {
    await page.getByLabel("With the words").fill("no such words");
    await page.getByText("No line fits").waitFor();
    assert.equal(await page.getByText(/good news/).count(), 0);
  });

  await t.test("many printers are found by a search that is held in the address, in even rows", async () => {
    for (let n = 0; n < PRINTERS; n++) await add(`p${n}`, `Printer ${n}`);
    await page.goto(`${desk.url}/printers`);
    await page.getByRole("link", { name: "Printer 30", exact: true }).waitFor();
    const cards = await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("button", { name: /^Print a test label on / }) })
      .evaluateAll((items) => items.map((item) => item.firstElementChild?.getBoundingClientRect()));
    const rows = Map.groupBy(cards, (card) => Math.round(card?.top ?? 0));
    for (const row of rows.values())
      assert.equal(new Set(row.map((card) => Math.round(card?.height ?? 0))).size, 1, "rows are even");
    await page.getByLabel("Search").fill("printer 30");
    await page.getByRole("link", { name: "Printer 7", exact: true }).waitFor({ state: "detached" });
    await page.waitForURL(/\?q=printer/);
    await page.reload();
    await page.getByRole("link", { name: "Printer 30", exact: true }).waitFor();
    await untilEqual(() => page.getByRole("link", { name: /^Printer \d+$/ }).count(), 1);
  });

  await t.test("names are shown as people write them, whichever way their script runs", async () => {
    await add("rtl", "מחסן 5 (צפון)");
    await page.goto(`${desk.url}/printers?q=${encodeURIComponent("מחסן")}`);
    const name = page.getByRole("link", { name: "מחסן 5 (צפון)" });
    await name.waitFor();
    const isIsolated = await name.evaluate(
      (link) =>
        link.closest("[dir=auto], bdi") !== null ||
        link.querySelector("[dir=auto], bdi") !== null ||
        getComputedStyle(link).unicodeBidi.includes("isolate"),
    );
    assert.ok(isIsolated);
    await fits(page);
  });

  await t.test("what is below the first steps stays as it is when the last of them is done", async () => {
    // There is one that is not virtual since the printer that is away.
    await page.goto(`${desk.url}/printers`);
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.waitFor();
    const card = await page.getByRole("link", { name: "Virtual printer" }).elementHandle();
    await admin("POST", "origins", { origin: SHOP, printers: {}, rights: RIGHTS, issueToken: false });
    await steps.waitFor({ state: "detached" });
    assert.equal(await card?.evaluate((element) => element.isConnected), true);
  });
});
