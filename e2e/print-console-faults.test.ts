import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import { WebSocket } from "ws";
import { fits, readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";
import { heldWrites, routed, unrouted } from "./routed.ts";

const SHOP = "https://shop.example";

test("the print console keeps what a person typed, whatever happens around it", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const desk = await printDesk(t);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const heading = (name: string | RegExp, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
  const go = (name: string) =>
    page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
  await page.goto(`${desk.url}/printers`);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading("Printers");

  await t.test("an address that leads nowhere is told in the frame, and nothing crashes", async () => {
    for (const path of ["/nowhere", "/jobs/", "/printers/%25zz", "/templates/%25"]) {
      await page.goto(desk.url + path);
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
      await page
        .getByText(/There is no such page|not there any more|Jobs/)
        .first()
        .waitFor();
    }
  });

  await t.test("leaving a changed form asks, and the change is there on coming back", async () => {
    await page.goto(`${desk.url}/printers`);
    await page.getByRole("link", { name: "Virtual printer" }).click();
    await heading("Virtual printer");
    await page.getByLabel("Name", { exact: true }).fill("Reception");
    await go("Jobs");
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Reception");
    // Back is a way to leave as well.
    await page.goBack();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/printers/virtual");
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Reception");
    await page.goBack();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await heading("Printers");
    await page.goForward();
    await heading("Virtual printer");
    await go("Jobs");
    await dialog.getByRole("button", { name: "Leave" }).click();
    await heading("Jobs");
    await page.goBack();
    await page.getByText("These are changes that you had not saved yet.").waitFor();
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Reception");
    await readable(page);
  });

  await t.test("what another tab saved is not overwritten unasked", async () => {
    const other = await context.newPage();
    other.setDefaultTimeout(PAGE_LIMIT_MS);
    await other.goto(`${desk.url}/printers/virtual`);
    await heading("Virtual printer", other);
    await other.getByLabel("Label width in mm").fill("80");
    await other.getByRole("button", { name: "Save", exact: true }).click();
    await other.getByText("Saved.").waitFor();
    // Chromium slows the timers of a tab that lies behind another.
    await other.close();
    await page.getByText("This printer was changed elsewhere").waitFor();
    await page.getByRole("row", { name: /Name.*Virtual printer.*Reception/ }).waitFor();
    await readable(page);
    await page.getByRole("button", { name: "Take theirs" }).click();
    await untilEqual(() => page.getByLabel("Label width in mm").inputValue(), "80");
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Virtual printer");
  });

  await t.test("a session that ends while somebody works is renewed over the page", async () => {
    await page.goto(`${desk.url}/templates/~new`);
    await heading("New template");
    await page.getByLabel("Name", { exact: true }).fill("名札");
    await untilEqual(() => page.getByLabel("Short name").inputValue(), "template-1");
    await context.clearCookies();
    // The page may have asked, and been refused, by itself: then the button lies beneath the dialog.
    await page.getByRole("button", { name: "Save", exact: true }).dispatchEvent("click");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByText("Your session has ended.").waitFor();
    await readable(page);
    await dialog.getByLabel("Administrator's token").fill(desk.token);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "名札");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading("名札");
  });

  await t.test("a server that is away is told, and the page goes on by itself when it is back", async () => {
    await page.goto(`${desk.url}/printers`);
    await heading("Printers");
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    await desk.stop();
    await page.getByText("The server does not answer.").waitFor();
    // A page whose files were never fetched waits for the server instead of breaking.
    await go("Certificate");
    await page.getByText("The server does not answer.").waitFor();
    await fits(page);
    await desk.start();
    await heading("Certificate");
    await page.getByText("The server does not answer.").waitFor({ state: "detached" });
    assert.ok(await page.evaluate(() => "isSameDocument" in window), "the page was not loaded anew");
  });

  await t.test("a page whose stylesheet could not be fetched has it when the server is back", async () => {
    await page.goto(`${desk.url}/printers`);
    await heading("Printers");
    let asked = 0;
    await routed(page, /origins-.*\.css$/, (route) => (asked++ === 0 ? route.abort() : route.continue()));
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    await go("Who may print");
    await heading("Who may print");
    await unrouted(page, /origins-.*\.css$/);
    assert.ok(await page.evaluate(() => "isSameDocument" in window), "the page was not loaded anew");
    const loaded = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")]
        .filter(({ href }) => /origins-.*\.css$/.test(href))
        .map(({ sheet }) => (sheet?.cssRules.length ?? 0) > 0),
    );
    assert.deepEqual(loaded, [true]);
  });

  await t.test("a write that the server lets wait is told as that, and is done when it answers", async () => {
    await page.goto(`${desk.url}/printers/virtual`);
    await page.getByLabel("Label height in mm").fill("60");
    const write = await heldWrites(page, "**/api/v1/admin/printers/virtual");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const words = page.getByText("The server has not answered yet.");
    // In the banner of the page and at the button.
    await untilEqual(() => words.count(), 2);
    await readable(page);
    await write.letGo();
    await page.getByText("Saved.").waitFor();
    await untilEqual(() => words.count(), 0);
  });

  await t.test("whoever saves by keyboard stays at the button", async () => {
    const made = await fetch(`${desk.url}/api/v1/admin/templates/badge`, {
      method: "PUT",
      headers: { authorization: `Bearer ${desk.token}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FDa^FS^XZ" }),
    });
    assert.ok(made.ok);
    await page.goto(`${desk.url}/templates/badge`);
    await page.getByLabel("Name", { exact: true }).fill("Name tag");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.press("Enter");
    await page.getByText("Saved as version 2").waitFor();
    await heading("Name tag");
    await untilEqual(() => save.isDisabled(), true);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Save");
    // There is nothing to save, and it does nothing.
    await page.keyboard.press("Enter");
    await readable(page);
    assert.equal(await page.getByText("Saved as version 3").count(), 0);
  });

  await t.test("a page's help leads to its part of the guide", async () => {
    for (const path of [
      "printers",
      "printers/~find",
      "jobs",
      "templates",
      "origins",
      "certificate",
      "settings",
    ]) {
      await page.goto(`${desk.url}/${path}`);
      const link = page.getByRole("link", { name: /^Help with / });
      const place = (await link.getAttribute("href"))?.split("#")[1] ?? "";
      await link.click();
      await heading("Help");
      await page.waitForFunction((id) => document.activeElement?.id === id, place);
    }
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Printers", exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.id === "printers");
    await readable(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await t.test(
    "a filter is in the address and comes back with it; rows are gone through by keys",
    async () => {
      await page.goto(`${desk.url}/printers/virtual`);
      await page.getByRole("button", { name: "Print a test label" }).click();
      await page.getByRole("link", { name: "See the job" }).click();
      await heading(/^Job on Virtual printer, /);
      assert.match(await page.title(), /^Job on Virtual printer, .* · Frontdesk$/);
      // Before it is done, it is in no list of those that are.
      await page.getByText("Done", { exact: true }).first().waitFor();
      await go("Jobs");
      await page.getByLabel("Show").selectOption("Done");
      await page.waitForURL(/state=Done/);
      const grid = page.getByRole("grid", { name: "Jobs" });
      await grid.getByRole("row").nth(1).focus();
      await page.keyboard.press("Enter");
      await heading(/^Job on Virtual printer, /);
      await page.goBack();
      await untilEqual(() => page.getByLabel("Show").inputValue(), "Done");
    },
  );

  await t.test("it is told that too many ask in an origin's name, and what to do", async () => {
    await page.goto(`${desk.url}/origins`);
    await heading("Who may print");
    for (let n = 0; n < 6; n++) {
      const socket = new WebSocket(`ws://127.0.0.1:${desk.port}/ws`, { headers: { origin: SHOP } });
      t.after(() => socket.terminate());
      await once(socket, "open");
      socket.send(JSON.stringify({ v: 1, id: "1", method: "hello", params: {} }));
      await once(socket, "message");
    }
    await page.getByText(`Too many pages ask: one of ${SHOP} found no place`).waitFor();
    await untilEqual(() => page.getByRole("heading", { level: 3, name: SHOP }).count(), 5);
    await fits(page);
    await readable(page);
  });
});
