import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import type { Locator, Page } from "playwright-core";
import { complaintsOf, fits, readable } from "./console-journey.ts";
import { focused, tabTo } from "./keyboard.ts";
import { printDesk } from "./print-desk.ts";

/** As long as a name may be, and without a place to break. */
const LONG = "W".repeat(120);
const ARABIC = "مدخل المخزن (3)";

test("the print console by keyboard, on a tablet and in two tabs", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const { admin } = desk;
  const addPrinter = (id: string, name: string, dpmm = 8) =>
    admin("PUT", `printers/${id}`, {
      id,
      name,
      transport: "virtual",
      address: "",
      languages: ["zpl"],
      dpmm,
      rfid: false,
      feedback: "printer",
      widthMm: 100,
      heightMm: 50,
    });
  const open = async (path: string, on = page) => {
    await on.goto(desk.url + path);
    await on.getByRole("heading", { level: 1 }).waitFor();
    // Pictures further down are fetched when they come into sight.
    await on.waitForFunction(() => !document.querySelector("[aria-busy=true], .mantine-Loader-root"));
  };
  const signIn = async (on: Page | Locator) => {
    await on.getByLabel("Administrator's token").fill(desk.token);
    await on.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const shownIn = (select: Locator) =>
    select.evaluate((field: HTMLSelectElement) => [field.value, field.selectedOptions[0]?.textContent]);
  await addPrinter("long", LONG);
  await addPrinter("front", ARABIC);
  await addPrinter("fine", "Fine", 10);
  await addPrinter("former", "Former");
  for (const id of ["long", "front", "former"]) await admin("POST", `printers/${id}/test`);
  await admin("DELETE", "printers/former");
  for (const [id, name, dpmm] of [
    ["long", LONG, 8],
    ["fine", "Fine", 10],
  ] as const)
    await admin("PUT", `templates/${id}`, {
      id,
      name,
      language: "zpl",
      dpmm,
      body: "^XA^FO9,9^FD{{1}}^FS^XZ",
    });
  await page.goto(`${desk.url}/printers`);
  await signIn(page);
  await page.getByRole("heading", { level: 1, name: "Printers" }).waitFor();

  await t.test("no page is wider than a small phone or a tablet, however long the names", async (t) => {
    const pages = ["/printers", "/printers/long", "/jobs", "/templates", "/templates/long", "/origins"];
    t.after(() => page.setViewportSize({ width: 1280, height: 900 }));
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of [...pages, "/certificate", "/settings", "/audit", "/log"]) {
        await open(path);
        await fits(page);
      }
    }
    await page.setViewportSize({ width: 768, height: 800 });
    await open("/jobs");
    await readable(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await open("/jobs");
    await untilEqual(
      () => page.getByRole("columnheader", { name: "Labels" }).isVisible(),
      true,
      "with room there are columns",
    );
  });

  await t.test("a length is typed with its decimals, and a field that is cleared is empty", async () => {
    await open("/printers/front");
    const width = page.getByLabel("Label width in mm");
    await width.press("ControlOrMeta+a");
    await width.press("Delete");
    await untilEqual(() => width.inputValue(), "");
    await page.getByText("From 5 to 500 mm.").waitFor();
    for (const typed of ["62.5", "62,5"]) {
      await width.press("ControlOrMeta+a");
      await width.pressSequentially(typed);
      await untilEqual(() => width.inputValue(), "62.5");
    }
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("button", { name: "Discard my changes" }).waitFor({ state: "detached" });
    await width.press("ControlOrMeta+a");
    await width.pressSequentially("80");
    await page.getByRole("button", { name: "Discard my changes" }).click();
    await untilEqual(() => width.inputValue(), "62.5");
  });

  await t.test("a density that is none of the usual is shown as it is", async () => {
    await open("/printers/fine");
    assert.deepEqual(await shownIn(page.getByLabel("Resolution")), ["10", "10 dots per mm"]);
    await open("/templates/fine");
    assert.deepEqual(await shownIn(page.getByLabel("Dots per mm")), ["10", "10"]);
  });

  await t.test("jobs of a printer that is gone are not shown as those of all", async () => {
    await open("/jobs?printer=former");
    assert.deepEqual(await shownIn(page.getByLabel("Printer", { exact: true })), [
      "former",
      "former, which is not there any more",
    ]);
    await page.getByText("1 row", { exact: true }).waitFor();
  });

  await t.test(
    "who works by keyboard alone is told how to leave the editor of a template, and leaves it",
    async () => {
      await open("/templates/fine");
      // The editor comes after the form around it.
      await page.getByRole("textbox", { name: "Label", exact: true }).waitFor();
      await page.getByLabel("Dots per mm").focus();
      await page.keyboard.press("Tab");
      await untilEqual(() => focused(page), { name: "Label", role: "textbox" });
      const hint = page.getByText("Escape, then Tab, leaves the editor.");
      await untilEqual(() => hint.isVisible(), true);
      const described = () =>
        page.evaluate(() => document.activeElement?.getAttribute("aria-describedby") ?? null);
      await untilEqual(described, await hint.getAttribute("id"));
      await page.keyboard.press("Escape");
      await tabTo(page, "Width in mm", { most: 5 });
      await hint.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Discard my changes" }).waitFor({ state: "detached" });
    },
  );

  await t.test(
    "test values that the browser has spoiled, or has no room for, keep nobody from a template",
    async () => {
      await page.evaluate(() => localStorage.setItem("frontdesk-test-values:fine", "{"));
      await open("/templates/fine");
      await page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
        };
      });
      await page.getByLabel("Test value for {{1}}").fill("Ada");
      await untilEqual(() => page.getByLabel("Test value for {{1}}").inputValue(), "Ada");
    },
  );

  await t.test("an origin that is being let in by hand is not lost by leaving the page", async () => {
    await open("/origins");
    const origin = page.getByLabel("Origin", { exact: true });
    await origin.fill("https://shop.example.com");
    await page.getByRole("checkbox", { name: "RFID tags" }).uncheck();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.getByRole("link", { name: "Who may print", exact: true }).click();
    await untilEqual(() => origin.inputValue(), "https://shop.example.com");
    await untilEqual(() => page.getByRole("checkbox", { name: "RFID tags" }).isChecked(), false);
    await page.getByRole("button", { name: "Let it in and make a token" }).click();
    await page.getByRole("button", { name: "I have kept it" }).click();
    await untilEqual(() => origin.inputValue(), "");
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  });

  await t.test("who signs out or in does so in every tab", async () => {
    const other = await context.newPage();
    other.setDefaultTimeout(PAGE_LIMIT_MS);
    await open("/jobs", other);
    await open("/printers");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    // Not hidden: gone.
    assert.equal(await other.getByText("Jobs").count(), 0);
    await signIn(page);
    await page.getByRole("heading", { level: 1, name: "Printers" }).waitFor();
    await other.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    // The page goes on with the new session, pictures and events with it.
    await admin("PUT", "printers/front", {
      id: "front",
      name: "Renamed elsewhere",
      transport: "virtual",
      address: "",
      languages: ["zpl"],
      dpmm: 8,
      rfid: false,
      feedback: "printer",
      widthMm: 100,
      heightMm: 50,
    });
    await other
      .getByLabel("Printer", { exact: true })
      .getByText("Renamed elsewhere")
      .waitFor({ state: "attached" });
  });
  assert.deepEqual(
    complaints.filter((words) => !/ERR_CERT_AUTHORITY_INVALID/.test(words)),
    [],
  );
});
