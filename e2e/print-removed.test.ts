import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import { closeMessages, complaintsOf, fits, readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";

const DOCK = {
  id: "dock",
  name: "Loading dock",
  transport: "virtual",
  address: "",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 100,
  heightMm: 50,
};
const BADGE = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FDone^FS^XZ" };
const SHOP = "https://shop.example";

test("what is removed in the print console while somebody edits it takes nothing along that was typed", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const { admin } = desk;
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const name = page.getByLabel("Name", { exact: true });
  const label = page.getByLabel("Label", { exact: true });
  const removed = (what: string) => page.getByText(`${what} was removed elsewhere`);
  const reload = async () => {
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
  };
  await admin("PUT", "printers/dock", DOCK);
  await admin("PUT", "templates/badge", BADGE);
  await page.goto(desk.url);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await press("Sign in");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();

  await t.test("a template stays in the editor, also after a reload, and can be copied", async () => {
    await page.goto(`${desk.url}/templates/badge`);
    await label.fill("^XA^FDmine^FS^XZ");
    await admin("DELETE", "templates/badge");
    await removed("This template").waitFor();
    assert.match((await label.textContent()) ?? "", /mine/);
    await fits(page);
    await readable(page);
    await reload();
    await removed("This template").waitFor();
    await label.getByText("mine").waitFor();
    await press("Copy what I typed");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "^XA^FDmine^FS^XZ");
  });

  await t.test("and is made anew with what was typed", async () => {
    await press("Make it anew");
    await page.getByText("Saved as version").waitFor();
    await removed("This template").waitFor({ state: "detached" });
    const { templates } = await admin("GET", "templates");
    assert.deepEqual(
      templates.map(({ id, body }: typeof BADGE) => [id, body]),
      [["badge", "^XA^FDmine^FS^XZ"]],
    );
    await closeMessages(page);
  });

  await t.test("a printer's setup stays while it is typed, until it is discarded", async () => {
    await page.goto(`${desk.url}/printers/dock`);
    await name.fill("Dock two");
    await admin("DELETE", "printers/dock");
    await removed("This printer").waitFor();
    await untilEqual(() => name.inputValue(), "Dock two");
    // Whoever is in the middle of a word goes on in it.
    await page.keyboard.type(" and a half");
    await untilEqual(() => name.inputValue(), "Dock two and a half");
    // Typed back to what it was: still nothing is taken away unasked.
    await name.fill("Loading dock");
    await name.fill("Loading dock 3");
    await readable(page);
    await press("Discard what I typed");
    await page.getByText("This printer is not there any more").waitFor();
  });

  await t.test("or is made anew", async () => {
    await admin("PUT", "printers/dock", DOCK);
    await page.goto(`${desk.url}/printers/dock`);
    await name.fill("Dock two");
    await admin("DELETE", "printers/dock");
    await removed("This printer").waitFor();
    await press("Make it anew");
    await page.getByText("Saved.").waitFor();
    await heading("Dock two");
    await closeMessages(page);
  });

  await t.test("whoever removes a printer after typing is not told that somebody else did", async () => {
    await name.fill("Dock three");
    await press("Remove this printer");
    await page.getByRole("dialog").getByRole("button", { name: "Remove the printer" }).click();
    await heading("Printers");
    await page.goto(`${desk.url}/printers/dock`);
    await page.getByText("This printer is not there any more").waitFor();
  });

  await t.test("what somebody else changes while one is asked is not removed unseen", async () => {
    const dialog = page.getByRole("dialog");
    const refused = page.getByText("This was changed elsewhere meanwhile");
    const rights = { origin: SHOP, issueToken: false };
    for (const [path, open, sure, change] of [
      [
        "templates/badge",
        "Remove this template",
        "Remove the template",
        () => admin("PUT", "templates/badge", BADGE),
      ],
      [
        "printers/dock",
        "Remove this printer",
        "Remove the printer",
        () => admin("PUT", "printers/dock", DOCK),
      ],
      ["origins", `Shut out ${SHOP}`, "Shut it out", () => admin("POST", "origins", rights)],
    ] as const) {
      await change();
      await page.goto(`${desk.url}/${path}`);
      await press(open);
      await dialog.getByRole("button", { name: sure }).waitFor();
      // The page knows it already, and the person behind the question does not.
      const known = page.waitForResponse((response) => response.url().endsWith(path.split("/")[0] as string));
      await change();
      await known;
      await dialog.getByRole("button", { name: sure }).click();
      await refused.waitFor();
      await closeMessages(page);
      await press(open);
      await dialog.getByRole("button", { name: "Cancel" }).click();
    }
    assert.equal((await admin("GET", "templates")).templates.length, 1);
    assert.equal((await admin("GET", "origins")).origins.length, 1);
    await admin("DELETE", `origins?origin=${encodeURIComponent(SHOP)}`);
  });

  await t.test("rights of an origin stay while they are chosen, and it can be let in again", async () => {
    const rights = { raw: false, templates: true, rfid: false };
    await admin("POST", "origins", { origin: SHOP, printers: null, rights, issueToken: false });
    await page.goto(`${desk.url}/origins`);
    await press(`Change what ${SHOP} may do`);
    const card = page.getByRole("article", { name: SHOP });
    await card.getByLabel("Raw data").check();
    await admin("DELETE", `origins?origin=${encodeURIComponent(SHOP)}`);
    await removed(SHOP).waitFor();
    assert.ok(await card.getByLabel("Raw data").isChecked());
    await readable(page);
    await reload();
    await removed(SHOP).waitFor();
    await card.getByRole("button", { name: "Let it in again" }).click();
    await page.getByText("Saved.").waitFor();
    const { origins } = await admin("GET", "origins");
    assert.deepEqual(
      origins.map((each: { origin: string; rights: object }) => [each.origin, each.rights]),
      [[SHOP, { ...rights, raw: true }]],
    );
  });
  assert.deepEqual(complaints, []);
});
