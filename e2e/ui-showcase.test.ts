import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { untilEqual } from "@frontdesk/testkit/until";
import type { Page } from "playwright-core";
import { build, preview } from "vite";
import { complaintsOf, fits, hasFont, readable } from "./console-journey.ts";

const ROOT = new URL("../packages/ui/showcase", import.meta.url).pathname;
const PAGES = ["/tables", "/charts", "/inputs", "/editors", "/states"];

test("every part of the kit: readable, in place, by keyboard, light and dark, wide and on a phone", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const outDir = join(temporaryHome(t), "dist");
  await build({ root: ROOT, build: { outDir }, logLevel: "silent" });
  const server = await preview({
    root: ROOT,
    build: { outDir },
    preview: { port: 0, host: "127.0.0.1" },
    logLevel: "silent",
  });
  t.after(() => server.close());
  const url = (server.resolvedUrls?.local[0] ?? "").replace(/\/$/, "");
  const context = await browser.newContext({
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const open = async (path: string) => {
    await page.goto(url + path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
  };

  for (const [width, height] of [
    [1440, 900],
    [320, 780],
  ] as const) {
    for (const path of PAGES) {
      await t.test(`${path} in light and dark at ${width}`, async () => {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await open(path);
          await keep(page, `${path.slice(1)}-${colorScheme}-${width}`);
          await fits(page);
        }
        // It looks at both.
        await readable(page);
      });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });

  await t.test("the wall shows sixty people on one screen without a scroll bar", async () => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await open("/wall");
    await keep(page, "wall");
    const last = page.getByText("until 17:00").nth(59);
    await hasFont(page);
    const box = await last.boundingBox();
    assert.ok(box && box.y + box.height <= 1080, JSON.stringify(box));
    await readable(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await t.test(
    "a table of a hundred thousand rows draws only what is seen, and keys go from row to row",
    async () => {
      await open("/tables");
      const grid = page.getByRole("grid", { name: "Devices" });
      await page.getByText("100,000 rows").waitFor();
      assert.ok((await grid.getByRole("row").count()) < 80);
      const first = grid.getByRole("row", { name: /10\.77\.0\.0 / });
      await first.focus();
      for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowDown");
      await focusIs(page, /10\.77\.0\.3/);
      await page.keyboard.press("End");
      await focusIs(page, /10\.77\.0\.199/);
      await page.keyboard.press("Home");
      await focusIs(page, /10\.77\.0\.0/);
      await page.keyboard.press(" ");
      await page.getByText("1 ticked").waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("Opened Ada Lovelace.").waitFor();
    },
  );

  await t.test("a row that leaves the list leaves the focus to the row in its place", async () => {
    await open("/tables");
    const search = (words: string) =>
      page.evaluate((q) => window.history.replaceState(null, "", `?q=${encodeURIComponent(q)}`), words);
    await page.getByRole("row", { name: /10\.77\.0\.3 / }).focus();
    await search("laptop");
    // The next of those below it that stay: rows above it have left as well.
    await focusIs(page, /10\.77\.0\.8\D/);
    await search("nobody is called this");
    await focusIs(page, /^Tables$/);
    await open("/tables");
  });

  await t.test("search, order and density are in the address, and a reload brings them back", async () => {
    await page.getByLabel("Search").fill("laptop-99");
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByRole("button", { name: "Name" }).click();
    await page.waitForURL(/q=laptop-99.*sort=-name|sort=-name.*q=laptop-99/);
    await page.reload();
    await untilEqual(() => page.getByLabel("Search").inputValue(), "laptop-99");
    await page.locator('th[aria-sort="descending"]').waitFor();
    await page.getByLabel("Search").fill("nobody is called this");
    await page.getByText("Nothing fits").waitFor();
  });

  await t.test("the handle's menu opens by a click and by Enter, and moves", async () => {
    await open("/inputs");
    const handle = page.getByRole("button", { name: /^Move Ada Lovelace/ });
    await handle.click();
    await page.getByRole("menuitem", { name: "One down" }).click();
    await page.getByText("Ada Lovelace is now number 2 of 7.").waitFor();
    await handle.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "To the top" }).click();
    await page.getByText("Ada Lovelace is now number 1 of 7.").waitFor();
  });

  await t.test("an order is set by keys, and each move is said", async () => {
    await open("/inputs");
    const handle = page.getByRole("button", { name: /^Move Ada Lovelace, number 1 of 7/ });
    await handle.focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByText("Ada Lovelace is now number 2 of 7.").waitFor();
    assert.match(
      (await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) ?? "",
      /Ada Lovelace, number 2/,
    );
  });

  await t.test("an order is set by dragging the handle", async () => {
    await open("/inputs");
    const list = page.getByRole("list", { name: "Things to do" });
    await list.getByRole("listitem").last().scrollIntoViewIfNeeded();
    const from = await page.getByRole("button", { name: /^Move Ada Lovelace/ }).boundingBox();
    const to = await list.getByRole("listitem").nth(3).boundingBox();
    assert.ok(from && to);
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 12, from.y + 30, { steps: 5 });
    await page.mouse.move(to.x + 12, to.y + to.height - 5, { steps: 15 });
    await page.mouse.up();
    await page.getByText(/Ada Lovelace is now number [34] of 7\./).waitFor();
  });

  await t.test(
    "an address that cannot be one is told so at its field, and a hardware address is tidied",
    async () => {
      const address = page.getByLabel("IPv4 address");
      await address.focus();
      await page.keyboard.press("Tab");
      await page.getByText('Each number is from 0 to 255, not "300".').waitFor();
      const mac = page.getByLabel("Hardware address");
      await mac.focus();
      await page.keyboard.press("Tab");
      await untilEqual(() => mac.inputValue(), "02:00:5e:10:00:01");
      await page.getByText("Short name: lager-sued-strasse-5").waitFor();
    },
  );

  await t.test("unsaved text survives leaving and reloading, and leaving asks", async () => {
    await open("/editors");
    await page.getByRole("textbox", { name: "Configuration" }).click();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("# mine\n");
    await page.getByText("Not saved").waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Charts" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { level: 1, name: "Editors" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Charts" }).click();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Charts" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Editors" }).click();
    await page.getByText("# mine").waitFor();
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await page.getByText("# mine").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByText("As stored").waitFor();
    assert.equal(await page.getByText("# mine").count(), 0);
  });

  await t.test(
    "what is typed while a save is under way stays unsaved work, on top of what was saved",
    async () => {
      await page.getByRole("textbox", { name: "Configuration" }).click();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.type("# saved\n");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("textbox", { name: "Configuration" }).click();
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.type("# meanwhile\n");
      await page.getByText("Version 2").waitFor();
      await page.getByText("Not saved").waitFor();
      await untilEqual(() => page.getByText("# meanwhile").count(), 1);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Version 3").waitFor();
      await page.getByText("As stored").waitFor();
      await untilEqual(() => page.getByText("# meanwhile").count(), 1);
      page.once("dialog", (asked) => void asked.accept());
      await page.reload();
    },
  );

  await t.test("a mistake is marked at its place, and its line leads there", async () => {
    await page.getByText("There is no interface", { exact: false }).first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Line 4, column 12" }).click();
    assert.ok(await page.evaluate(() => document.activeElement?.classList.contains("cm-content")));
  });

  await t.test("a button that is busy keeps the focus; a secret cannot be closed by chance", async () => {
    await open("/charts");
    await page.getByRole("link", { name: /^States and messages/ }).click();
    const busy = page.getByRole("button", { name: "Take a while" });
    await busy.focus();
    await page.keyboard.press("Enter");
    await page.locator('[aria-busy="true"]').first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Take a while");
    await page.getByRole("button", { name: "Show a secret once" }).click();
    const secret = page.getByRole("dialog", { name: "Your new token" });
    await page.keyboard.press("Escape");
    await secret.getByRole("button", { name: "Copy the token" }).click();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      "fdx_0123456789abcdefghijklmnopqrstuvwxyz",
    );
    // Nor left by Back unasked, which is how people on a phone close a dialog.
    await page.evaluate(() => window.history.back());
    const question = page.getByRole("dialog", { name: "Leave without the token?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await secret.getByRole("button", { name: "I have kept it" }).click();
    await secret.waitFor({ state: "detached" });
  });

  await t.test("what is shown once can be copied where browsers keep the clipboard from pages", async () => {
    await page.evaluate(() =>
      Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }),
    );
    await page.getByRole("button", { name: "Copy the command" }).click();
    await page.getByText("Copied").waitFor();
    await page.reload();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "npx frontdesk print trust");
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  await t.test(
    "pages are reached by name, the menu closes with Escape, an unknown address is told inside the frame",
    async () => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("textbox", { name: "Go to, or do" }).fill("char");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Charts" }).waitFor();
      await page.waitForFunction(() => document.title === "(3)\u00a0Charts · Frontdesk");
      await open("/no-such-page");
      await page.getByText("There is no such page").waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("button", { name: "Open the menu" }).click();
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Charts" }).waitFor();
      await page.keyboard.press("Escape");
      await page
        .getByRole("navigation", { name: "Pages" })
        .getByRole("link", { name: "Charts" })
        .waitFor({ state: "hidden" });
    },
  );
  assert.deepEqual(complaints, []);
});

async function focusIs(page: Page, words: RegExp) {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.activeElement?.textContent ?? ""),
    words.source,
  );
}

/** UI_PICTURES names a folder: what each page looked like is kept there. */
async function keep(page: Page, name: string): Promise<void> {
  const folder = process.env.UI_PICTURES;
  if (folder)
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !name.startsWith("tables") });
}
