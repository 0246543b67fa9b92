import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "@frontdesk/print-simulator/listener";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { until, untilEqual } from "@frontdesk/testkit/until";
import type { Page } from "playwright-core";
import { closeMessages, complaintsOf, fits, readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";
import { routed, unrouted } from "./routed.ts";

const SHOP = "https://shop.example";
const RIGHTS = { raw: false, templates: true, rfid: false };

test("what an administrator edits in the print console is kept, compared and never lost unasked", async (t) => {
  const printer = createPrinter();
  const device = await listen(printer);
  t.after(() => device.stop());
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const open = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_LIMIT_MS);
    return page;
  };
  const page = await open();
  const complaints = complaintsOf(page);
  const { admin } = desk;
  const allow = (aliases: Record<string, string>) =>
    admin("POST", "origins", { origin: SHOP, printers: aliases, rights: RIGHTS, issueToken: false });
  const aliases = async () => {
    const { origins } = await admin("GET", "origins");
    return origins.find(({ origin }: { origin: string }) => origin === SHOP)?.aliases;
  };
  const heading = (name: string | RegExp, on = page) => on.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name: string | RegExp, on = page) =>
    on.getByRole("button", { name, exact: typeof name === "string" }).click();
  const dialog = (name: string, on = page) => on.getByRole("dialog", { name });
  const signIn = async (on: Page | ReturnType<Page["getByRole"]>) => {
    await on.getByLabel("Administrator's token").fill(desk.token);
    await on.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await admin("PUT", "printers/dock", {
    id: "dock",
    name: "Loading dock",
    transport: "tcp",
    address: `127.0.0.1:${device.port}`,
    languages: ["zpl"],
    dpmm: 8,
    rfid: false,
    feedback: "printer",
    widthMm: 100,
    heightMm: 50,
  });
  const template = { id: "badge", name: "Badge", language: "zpl", dpmm: 8 };
  for (const words of ["one", "two"])
    await admin("PUT", "templates/badge", { ...template, body: `^XA^FO40,40^A0N,60,60^FD${words}^FS^XZ` });
  await page.goto(`${desk.url}/origins`);
  await signIn(page);
  await heading("Who may print");

  await t.test("a printer keeps every name that an origin has for it", async () => {
    await allow({ front: "virtual", back: "virtual", depot: "dock", ghost: "gone" });
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    await page.getByLabel("Templates").first().uncheck();
    await press("Save");
    await page.getByText("Saved.").waitFor();
    assert.deepEqual(await aliases(), { front: "virtual", back: "virtual", depot: "dock", ghost: "gone" });
    await closeMessages(page);
  });

  await t.test("a name that two printers would have is told at its field, and nothing is saved", async () => {
    await press(`Change what ${SHOP} may do`);
    const depot = page.getByLabel("What it calls Loading dock");
    await depot.fill("front");
    await page.getByText("Another one has this name already.").first().waitFor();
    await untilEqual(() => page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
    await fits(page);
    await readable(page);
    await depot.fill("depot");
    await press("Another name for Loading dock");
    await page.getByLabel("What it calls Loading dock").last().fill("constructor");
    await press("Remove the name back");
    await page.getByLabel("gone, which is not there any more").click();
    await press("Save");
    await page.getByText("Saved.").waitFor();
    assert.deepEqual(await aliases(), { front: "virtual", depot: "dock", constructor: "dock" });
    await closeMessages(page);
  });

  await t.test("rights that were changed elsewhere meanwhile are not overwritten unasked", async () => {
    await allow({ front: "virtual" });
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    await page.getByLabel("Raw data").first().check();
    await allow({ depot: "dock" });
    await page.getByText("What this origin may do was changed elsewhere").waitFor();
    // What differs is there to be compared.
    await page.getByRole("row", { name: /Printers.*dock as depot.*virtual as front/ }).waitFor();
    await readable(page);
    await untilEqual(() => page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
    await press("Take theirs");
    await press("Cancel");
    assert.deepEqual(await aliases(), { depot: "dock" });
  });

  await t.test("a write that was overtaken by a hair is refused, and the page shows what holds", async () => {
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    await page.getByLabel("Raw data").first().check();
    await routed(page, "**/api/v1/admin/origins", async (route) => {
      if (route.request().method() === "POST") {
        await allow({ overtaken: "dock" });
      }
      await route.continue();
    });
    await press("Save");
    await page.getByText("What this origin may do was changed elsewhere").waitFor();
    assert.deepEqual(await aliases(), { overtaken: "dock" });
    await unrouted(page, "**/api/v1/admin/origins");
    await press("Take theirs");
    await press("Cancel");
  });

  await t.test("letting in by hand does not change an origin that is in the list already", async () => {
    await page.getByLabel("Origin", { exact: true }).fill(SHOP);
    await press("Let it in and make a token");
    await page.getByText("This origin is in the list already: change it there.").first().waitFor();
    await untilEqual(() => page.getByLabel("Origin", { exact: true }).getAttribute("aria-invalid"), "true");
    assert.deepEqual(await aliases(), { overtaken: "dock" });
  });

  await t.test("a filtered list of jobs moves: what no longer fits goes, what fits now comes", async () => {
    printer.set("head-open", true);
    await admin("POST", "printers/dock/test");
    await page.goto(`${desk.url}/jobs`);
    const grid = page.getByRole("grid", { name: "Jobs" });
    await grid.getByText("Held", { exact: true }).waitFor();
    await page.getByLabel("Show").selectOption("Held");
    await page.waitForURL(/state=Held/);
    const held = grid.getByRole("row", { name: /Loading dock/ });
    await until("one job is held", async () => (await held.count()) === 1);
    printer.set("head-open", false);
    await page.getByText("Nothing fits").waitFor();
    printer.set("head-open", true);
    await admin("POST", "printers/dock/test");
    await held.getByText("Held", { exact: true }).waitFor();
    printer.set("head-open", false);
    await page.getByText("Nothing fits").waitFor();
  });

  await t.test("two tabs edit one printer, each with a draft of its own", async () => {
    const other = await open();
    for (const [tab, name] of [
      [page, "Mine"],
      [other, "Theirs"],
    ] as const) {
      await tab.goto(`${desk.url}/printers/dock`);
      await heading("Loading dock", tab);
      await untilEqual(() => tab.getByLabel("Name", { exact: true }).inputValue(), "Loading dock");
      await tab.getByLabel("Name", { exact: true }).fill(name);
    }
    await press("Discard my changes", other);
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await heading("Loading dock");
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Mine");
    // A tab that was closed leaves its draft to the next one that comes.
    page.once("dialog", (asked) => void asked.accept());
    await page.goto("about:blank");
    await other.reload();
    await heading("Loading dock", other);
    await until(
      "the draft is taken over",
      async () => (await other.getByLabel("Name", { exact: true }).inputValue()) === "Mine",
    );
    await press("Discard my changes", other);
    await other.close();
  });

  await t.test("bringing back a version asks before it takes the place of an edit", async () => {
    await page.goto(`${desk.url}/templates/badge`);
    await heading("Badge");
    const label = page.getByLabel("Label", { exact: true });
    await label.fill("^XA^FDmine^FS^XZ");
    await press("Bring back version 1");
    await dialog("Replace what you changed?").getByRole("button", { name: "Cancel" }).click();
    assert.match((await label.textContent()) ?? "", /mine/);
    await press("Bring back version 1");
    await dialog("Replace what you changed?").getByRole("button", { name: "Replace it" }).click();
    await page.getByText(/^Version 1 is in the editor/).waitFor();
    assert.match((await label.textContent()) ?? "", /one/);
    await closeMessages(page);
  });

  await t.test("a template that was changed elsewhere is shown beside what was typed", async () => {
    await admin("PUT", "templates/badge", { ...template, name: "Name tag", body: "^XA^FDthree^FS^XZ" });
    await page.getByText("This template was changed elsewhere").waitFor();
    await page.getByRole("row", { name: /Name.*Name tag.*Badge/ }).waitFor();
    await page.getByLabel("What keeping yours changes in the label").getByText("three").waitFor();
    await readable(page);
    await press("Take theirs");
    await heading("Name tag");
  });

  await t.test("a size that no label has is told, and stays as it was typed", async () => {
    const width = page.getByLabel("Width in mm");
    await width.fill("0");
    await width.blur();
    await untilEqual(() => width.inputValue(), "0");
    await page.getByText("From 5 to 500 mm.").waitFor();
    await width.fill("100");
    await page.getByText("From 5 to 500 mm.").waitFor({ state: "detached" });
  });

  await t.test(
    "a secret that is shown once is seen before the page has asked for anything anew",
    async () => {
      await page.goto(`${desk.url}/origins`);
      await page.getByRole("button", { name: `New token for ${SHOP}` }).waitFor();
      const { promise: seen, resolve: isSeen } = Promise.withResolvers<void>();
      const origins = "**/api/v1/admin/origins";
      await routed(page, origins, async (route) => {
        if (route.request().method() === "GET") await seen;
        await route.continue();
      });
      await press(`New token for ${SHOP}`);
      await dialog(`A token for ${SHOP}`).waitFor();
      isSeen();
      await unrouted(page, origins);
    },
  );

  await t.test("and is not seen when the session has ended", async () => {
    const secret = dialog(`A token for ${SHOP}`);
    await context.clearCookies();
    // Something asks the bridge, and learns that nobody is signed in.
    await allow({ front: "virtual" });
    await dialog("Sign in again").waitFor();
    await secret.waitFor({ state: "hidden" });
    assert.equal(await page.getByText(/^fdprint_/).count(), 0);
    await signIn(dialog("Sign in again"));
    await secret.getByRole("button", { name: "I have kept it" }).click();
    await secret.waitFor({ state: "detached" });
  });

  await t.test("nor is what the page asks, nor what Ctrl-K would find in it", async () => {
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("textbox", { name: "Go to, or do" });
    await palette.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await page.goto(`${desk.url}/printers/dock`);
    await page.getByLabel("Name", { exact: true }).fill("Dock two");
    await press("Sign out");
    const question = dialog("Sign out and discard what is not saved?");
    await question.waitFor();
    await context.clearCookies();
    await allow({ front: "virtual" });
    await dialog("Sign in again").waitFor();
    await question.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await readable(page);
    assert.equal(await palette.count(), 0);
    await signIn(dialog("Sign in again"));
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.keyboard.press("Control+k");
    await palette.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
  });

  await t.test("signing out asks before it discards what was not saved", async () => {
    await page.goto(`${desk.url}/printers/dock`);
    await page.evaluate(() => localStorage.setItem("frontdesk-test-values:badge", '["Ada"]'));
    await page.getByLabel("Name", { exact: true }).fill("Dock two");
    await press("Sign out");
    const question = dialog("Sign out and discard what is not saved?");
    await question.waitFor();
    // The tip of the button goes with the pointer.
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await readable(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Dock two");
    await press("Sign out");
    await question.getByRole("button", { name: "Sign out" }).click();
    await heading("Sign in");
    assert.deepEqual(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => /draft|values/.test(key))),
      [],
    );
    // With nothing to lose, nothing is asked.
    await signIn(page);
    await heading("Loading dock");
    await untilEqual(() => page.getByLabel("Name", { exact: true }).inputValue(), "Loading dock");
    await page.getByLabel("Name", { exact: true }).fill("Loading dock 2");
    await page.getByLabel("Name", { exact: true }).fill("Loading dock");
    await press("Sign out");
    await heading("Sign in");
  });

  await t.test("who signs out is not asked to sign in again by a request that comes too late", async () => {
    await signIn(page);
    await heading("Loading dock");
    const answered = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await routed(page, "**/api/v1/admin/session", async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      // The bridge has ended the session, and the page does not know yet.
      const response = await route.fetch();
      answered.resolve();
      await released.promise;
      await route.fulfill({ response });
    });
    const refused = page.waitForResponse((response) => response.status() === 401);
    await press("Sign out");
    await answered.promise;
    await allow({ front: "virtual" });
    await refused;
    // Everything that the refusal brings about is on the page two frames later.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    assert.equal(await dialog("Sign in again").count(), 0);
    released.resolve();
    await heading("Sign in");
    assert.equal(await dialog("Sign in again").count(), 0);
  });

  await t.test("messages to whoever signs out are gone with them", async () => {
    await signIn(page);
    await heading("Loading dock");
    await page.getByLabel("Name", { exact: true }).fill("Loading dock 4");
    await press("Save");
    // Under the pointer a message does not go by itself.
    await page.getByText("Saved.").hover();
    await page.getByRole("button", { name: "Sign out", exact: true }).press("Enter");
    await heading("Sign in");
    await page.getByText("Saved.").waitFor({ state: "detached" });
  });
  assert.deepEqual(complaints, []);
});
