import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { closeMessages, complaintsOf } from "./console-journey.ts";
import { BADGE, DOCK, printDesk } from "./print-desk.ts";
import { heldWrites } from "./routed.ts";

const SHOP = "https://shop.example";

test("what is typed in the print console while a save is under way is an edit of what was saved", async (t) => {
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
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const name = page.getByLabel("Name", { exact: true });
  const label = page.getByLabel("Label", { exact: true });
  const elsewhere = page.getByText("was changed elsewhere");
  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("frontdesk-draft:")));
  const leave = async (to: string) => {
    await page.getByRole("link", { name: to, exact: true }).click();
    await press("Leave");
    await page.getByRole("heading", { level: 1, name: to }).waitFor();
  };
  /** Presses the button, does what is to be done before the bridge has the write, and waits for the words. */
  const whileSaving = async (button: string, path: string, act: () => Promise<void>, words: string) => {
    const write = await heldWrites(page, `**/api/v1/admin/${path}`);
    await press(button);
    await write.sent();
    await act();
    await write.letGo();
    await page.getByText(words).first().waitFor();
    await closeMessages(page);
  };
  await admin("PUT", "printers/dock", DOCK);
  await admin("PUT", "templates/badge", BADGE);
  await admin("POST", "origins", { origin: SHOP, issueToken: false });
  await page.goto(`${desk.url}/templates/badge`);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await press("Sign in");

  await t.test("a template that another saves afterwards is not replaced unasked", async () => {
    await name.fill("Mine 1");
    await whileSaving("Save", "templates/badge", () => name.fill("Mine 2"), "Saved as version");
    assert.equal(await elsewhere.count(), 0);
    await leave("Jobs");
    await admin("PUT", "templates/badge", { ...BADGE, name: "Theirs" });
    await page.goto(`${desk.url}/templates/badge`);
    await elsewhere.waitFor();
    await untilEqual(() => name.inputValue(), "Mine 2");
    await press("Take theirs");
    await untilEqual(() => name.inputValue(), "Theirs");
  });

  await t.test("nor is a printer, and what nobody else changed is saved as usual", async () => {
    await page.goto(`${desk.url}/printers/dock`);
    await name.fill("Mine 1");
    await whileSaving("Save", "printers/dock", () => name.fill("Mine 2"), "Saved.");
    assert.equal(await elsewhere.count(), 0);
    await press("Save");
    await page.getByText("Saved.").first().waitFor();
    await closeMessages(page);
    await name.fill("Mine 3");
    await whileSaving("Save", "printers/dock", () => name.fill("Mine 4"), "Saved.");
    await leave("Jobs");
    await admin("PUT", "printers/dock", { ...DOCK, name: "Theirs", heightMm: 77 });
    await page.goto(`${desk.url}/printers/dock`);
    await elsewhere.waitFor();
    await untilEqual(() => name.inputValue(), "Mine 4");
    await press("Take theirs");
    await untilEqual(() => name.inputValue(), "Theirs");
  });

  await t.test("rights that are chosen meanwhile stay in sight", async () => {
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    const card = page.getByRole("article", { name: SHOP });
    await card.getByLabel("Raw data").uncheck();
    await whileSaving("Save", "origins", () => card.getByLabel("Templates").uncheck(), "Saved.");
    assert.equal(await card.getByLabel("Templates").isChecked(), false);
    assert.equal(await elsewhere.count(), 0);
    await press("Save");
    await page.getByRole("button", { name: `Change what ${SHOP} may do` }).waitFor();
    const { origins } = await admin("GET", "origins");
    assert.deepEqual([origins[0].rights.raw, origins[0].rights.templates], [false, false]);
    await closeMessages(page);
  });

  await t.test("what was typed after a save and taken back is nothing to be lost", async () => {
    await page.goto(`${desk.url}/templates/badge`);
    await name.fill("Badge 2");
    await press("Save");
    await page.getByText("Saved as version").first().waitFor();
    await closeMessages(page);
    await name.press("End");
    await name.press("x");
    await name.press("Backspace");
    await untilEqual(drafts, []);
    await admin("PUT", "templates/badge", { ...BADGE, name: "Badge 3" });
    await untilEqual(() => name.inputValue(), "Badge 3");
    assert.equal(await elsewhere.count(), 0);
  });

  await t.test("nor is what somebody else has saved just so", async () => {
    await name.fill("Badge 4");
    await until("the draft is kept", async () => (await drafts()).length === 1);
    await admin("PUT", "templates/badge", { ...BADGE, name: "Badge 4" });
    await page.getByRole("heading", { level: 1, name: "Badge 4" }).waitFor();
    await untilEqual(drafts, []);
    await admin("PUT", "templates/badge", { ...BADGE, name: "Badge 5" });
    await untilEqual(() => name.inputValue(), "Badge 5");
    assert.equal(await elsewhere.count(), 0);
  });

  await t.test("what is typed while a new template is saved is an edit of that template", async () => {
    await page.goto(`${desk.url}/templates/~new`);
    await name.fill("Slow");
    const typing = async () => {
      await name.fill("Slower");
      await label.fill("^XA^FDmeanwhile^FS^XZ");
    };
    await whileSaving("Save", "templates/slow", typing, "Saved as version 1");
    await page.waitForURL(/templates\/slow$/);
    await page.getByRole("heading", { level: 1, name: "Slow" }).waitFor();
    await label.getByText("meanwhile").waitFor();
    assert.deepEqual([await name.inputValue(), await elsewhere.count()], ["Slower", 0]);
    await press("Save");
    await page.getByText("Saved as version 2").first().waitFor();
    assert.deepEqual(await drafts(), []);
    const { templates } = await admin("GET", "templates");
    const made = templates.find(({ id }: { id: string }) => id === "slow");
    assert.deepEqual([made.name, made.body], ["Slower", "^XA^FDmeanwhile^FS^XZ"]);
    await page.goto(`${desk.url}/templates/~new`);
    await untilEqual(() => name.inputValue(), "");
    await closeMessages(page);
  });

  await t.test("and while a new printer is added, of that printer", async () => {
    await page.goto(`${desk.url}/printers/~new`);
    await name.fill("Ramp");
    await page.getByLabel("How it is reached").selectOption("virtual");
    await whileSaving("Add the printer", "printers/ramp", () => name.fill("Ramp 2"), "is added");
    await page.waitForURL(/printers\/ramp$/);
    await page.getByRole("heading", { level: 1, name: "Ramp" }).waitFor();
    await untilEqual(() => name.inputValue(), "Ramp 2");
    assert.equal(await elsewhere.count(), 0);
    await press("Save");
    await page.getByRole("heading", { level: 1, name: "Ramp 2" }).waitFor();
    await untilEqual(drafts, []);
  });
  assert.deepEqual(complaints, []);
});
