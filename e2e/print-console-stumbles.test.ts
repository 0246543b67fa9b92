import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { closeMessages, fits, readable } from "./console-journey.ts";
import { printDesk, shopPage } from "./print-desk.ts";
import { routed, unrouted } from "./routed.ts";

const DOCK = {
  id: "dock",
  name: "Dock",
  transport: "virtual",
  address: "",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 101.6,
  heightMm: 50,
};
const BADGE = { id: "badge", name: "Visitor pass", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
const SHOP = "https://shop.example";

test("where people stumbled in the print console, they are told, asked, or get there", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const { admin } = desk;
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const isDisabled = (name: string) =>
    untilEqual(() => page.getByRole("button", { name, exact: true }).isDisabled(), true);
  const name = page.getByLabel("Name", { exact: true });
  const label = page.getByLabel("Label", { exact: true });
  const card = page.getByRole("article", { name: SHOP });
  await admin("PUT", "printers/dock", DOCK);
  await admin("PUT", "templates/badge", BADGE);
  await page.goto(`${desk.url}/printers`);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await press("Sign in");
  await heading("Printers");

  await t.test("a printer's jobs are looked for among all that are kept, and lead to the rest", async () => {
    for (let n = 0; n < 11; n++) await admin("POST", "printers/dock/test");
    const asked = page.waitForRequest((request) => /\/jobs\?.*printer=dock/.test(request.url()));
    await page.goto(`${desk.url}/printers/dock`);
    await asked;
    const jobs = page.getByRole("table", { name: "Jobs of this printer" });
    await untilEqual(() => jobs.getByRole("row").count(), 11);
    await page.getByRole("link", { name: "All its jobs" }).click();
    await page.waitForURL(/\/jobs\?printer=dock$/);
    await untilEqual(() => page.getByLabel("Printer", { exact: true }).inputValue(), "dock");
  });

  await t.test("a search that is too long is cut, and no validator speaks", async () => {
    for (const path of ["jobs", "audit"]) {
      await page.goto(`${desk.url}/${path}?q=${"x".repeat(300)}`);
      await page.getByText("Nothing fits").waitFor();
      assert.equal((await page.getByLabel("Search").inputValue()).length, 200);
    }
  });

  await t.test("a search in the address can be cleared, however few printers there are", async () => {
    await page.goto(`${desk.url}/printers?q=zzz`);
    await page.getByText("No printer fits").waitFor();
    await page.getByLabel("Search").fill("");
    await page.getByRole("link", { name: "Dock", exact: true }).waitFor();
  });

  await t.test("a short name that cannot be is told at its field", async () => {
    for (const [path, save] of [
      ["printers", "Add the printer"],
      ["templates", "Save"],
    ] as const) {
      await page.goto(`${desk.url}/${path}/~new`);
      await name.fill("X");
      const short = page.getByLabel("Short name");
      await short.fill("-x");
      await page.getByText("It begins with a letter or a digit.").waitFor();
      assert.equal(await short.getAttribute("aria-invalid"), "true");
      await isDisabled(save);
      await readable(page);
      await short.fill("");
      await name.fill("");
    }
  });

  await t.test("what the bridge refuses is said in words, at the field", async () => {
    const response = await fetch(`${desk.url}/api/v1/admin/printers/-x`, {
      method: "PUT",
      headers: { authorization: `Bearer ${desk.token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...DOCK, id: "-x", name: "n".repeat(121), dpmm: 8 }),
    });
    const { message, errors } = (await response.json()) as { message: string; errors: object[] };
    assert.equal(response.status, 400);
    assert.doesNotMatch(message, /must|pattern|body\//);
    assert.deepEqual(errors[0], {
      pointer: "/id",
      detail: "Has characters that are not allowed there.",
    });
  });

  await t.test("a label that is too long is told before it is sent", async () => {
    await page.goto(`${desk.url}/templates/badge`);
    await label.click();
    await page.keyboard.press("Control+a");
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", `^XA^FX${"A".repeat(1_100_000)}^XZ`);
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(paste);
    });
    await page.getByText("The label has 1,100,009 characters.").waitFor();
    await isDisabled("Save");
    assert.equal(await page.getByText(/must/).count(), 0);
    await press("Discard my changes");
    await page.getByText("The label has 1,100,009 characters.").waitFor({ state: "detached" });
  });

  await t.test("Ctrl-S in the label saves the template", async () => {
    await name.fill("Visitor badge");
    await label.click();
    await page.keyboard.press("Control+s");
    await page.getByText("Saved as version 2").waitFor();
    await heading("Visitor badge");
    await closeMessages(page);
  });

  await t.test("a template is found by its name", async () => {
    await page.goto(`${desk.url}/templates`);
    await heading("Templates");
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Go to, or do" }).fill("visitor");
    await page.getByRole("button", { name: /Visitor badge.*badge/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  await t.test("the audit log keeps the fraction of a length", async () => {
    await admin("PUT", "printers/dock", { ...DOCK, widthMm: 102.4 });
    await page.goto(`${desk.url}/audit`);
    await page.getByText("101.6 → 102.4").waitFor();
  });

  await t.test("a name that no request may carry is told at its field", async () => {
    await admin("POST", "origins", { origin: SHOP, printers: { dock: "dock" }, issueToken: false });
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    await card.getByLabel("What it calls Dock").fill("__proto__");
    await page.getByText("This name cannot be used.").waitFor();
    await isDisabled("Save");
    await readable(page);
  });

  await t.test("rights that were chosen and not saved are in sight after a reload", async () => {
    await card.getByLabel("What it calls Dock").fill("front");
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await untilEqual(() => card.getByLabel("What it calls Dock").inputValue(), "front");
    await card.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: `Change what ${SHOP} may do` }).waitFor();
  });

  await t.test("leaving asks before it loses the rights that were chosen for a page that waits", async () => {
    const origin = await shopPage(t, `127.0.0.1:${desk.port}`);
    // In a window of its own: Chromium slows the timers of a tab that lies behind another.
    const shop = await (await browser.newContext()).newPage();
    await shop.goto(origin);
    await page.getByRole("button", { name: `Choose what it may do: ${origin}` }).click();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await heading("Jobs");
    await page.goBack();
    await page.getByRole("button", { name: `Choose what it may do: ${origin}` }).click();
    await page.getByLabel("Raw data").first().uncheck();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Leave without deciding?" });
    await question.getByText(origin).waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await page.getByLabel("Raw data").first().isChecked(), false);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await question.getByRole("button", { name: "Leave" }).click();
    await heading("Jobs");
    await shop.close();
  });

  await t.test("names are written in their own direction", async () => {
    await page.goto(`${desk.url}/templates`);
    await page
      .getByRole("table")
      .locator("bdi", { hasText: /^Visitor/ })
      .waitFor();
    await fits(page);
  });

  await t.test("pictures that failed while the server was away come when it is back", async () => {
    await page.goto(`${desk.url}/printers/dock`);
    const pictures = page.getByRole("list", { name: "Printed labels, newest first" }).locator("img");
    await routed(page, "**/labels/*.png*", (route) => route.abort());
    await page.reload();
    await pictures.first().scrollIntoViewIfNeeded();
    const broken = () =>
      pictures.evaluateAll((all) =>
        all.filter((each) => {
          const { complete, naturalWidth } = each as HTMLImageElement;
          return complete && naturalWidth === 0;
        }),
      );
    await until("pictures failed", async () => (await broken()).length > 0);
    await desk.stop();
    await page.getByText("The server does not answer").waitFor();
    await unrouted(page, "**/labels/*.png*");
    await desk.start();
    await until("pictures are there", async () => {
      const there = await pictures.evaluateAll((all) =>
        all.filter((each) => (each as HTMLImageElement).naturalWidth > 0),
      );
      return there.length > 0;
    });
  });

  await t.test("a label with Windows line ends is as it was when a letter is typed and removed", async () => {
    await admin("PUT", "templates/crlf", { ...BADGE, id: "crlf", body: "^XA\r\n^FD{{1}}^FS\r\n^XZ" });
    await page.goto(`${desk.url}/templates/crlf`);
    await label.press("x");
    await untilEqual(() => page.getByRole("button", { name: "Save", exact: true }).isEnabled(), true);
    await label.press("Backspace");
    await isDisabled("Save");
  });

  await t.test("who changes rights by keyboard stays where they are", async () => {
    await page.goto(`${desk.url}/origins`);
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("article")?.getAttribute("aria-label"));
    await card.getByRole("button", { name: /^Change what/ }).focus();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Cancel" }).waitFor();
    await untilEqual(focused, SHOP);
    await card.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: /^Change what/ }).waitFor();
    await untilEqual(focused, SHOP);
  });

  await t.test("who leaves while a token is made is asked, and sees it", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await routed(page, "**/origins/tokens", async (route) => {
      await released;
      await route.continue();
    });
    await card.getByRole("button", { name: /New token/ }).click();
    const jobs = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Jobs" });
    await jobs.click();
    await page.getByText("Leave without the token?").waitFor();
    await press("Cancel");
    release();
    await press("I have kept it");
    await jobs.click();
    await heading("Jobs");
    await unrouted(page, "**/origins/tokens");
  });

  await t.test("a question is not carried to another page by Back", async () => {
    await page.goto(`${desk.url}/printers`);
    await page.getByRole("link", { name: "Dock" }).first().click();
    await press("Remove this printer");
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await heading("Printers");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await t.test("test values stay under the typist when the server goes away", async () => {
    await page.goto(`${desk.url}/templates/badge`);
    await label.fill("^XA^FD{{1}}{{2}}^FS^XZ");
    const second = page.getByLabel("Test value for {{2}}");
    await second.fill("hello");
    await desk.stop();
    const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/preview"));
    await second.press("End");
    await second.press("!");
    await failed;
    await page.getByRole("region", { name: "Preview" }).getByRole("alert").waitFor();
    await untilEqual(() => second.inputValue(), "hello!");
    assert.equal(await second.evaluate((field) => document.activeElement === field), true);
  });
});
