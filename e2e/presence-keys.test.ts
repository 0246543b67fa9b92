import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import type { Locator, Page } from "playwright-core";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";

const focusedName = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute("aria-label") ?? (at === document.body ? "the page" : at?.textContent?.trim());
  });

test("presence: single keys, Back, and where the focus goes", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, newPage, dialog, step, inDialog, section, closeDialog } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await page.context().addCookies(ada.jar);
  const isFocused = (name: string, why?: string) => untilEqual(() => focusedName(page), name, why);
  const choose = async (name: string, item: string) => {
    await page.getByRole("button", { name: `More for ${name}` }).focus();
    await page.keyboard.press("Enter");
    const chosen = page.getByRole("menuitem", { name: item });
    await chosen.waitFor();
    // Also from the button, to which the focus may come back a moment after a dialog has closed: there, Enter would close the menu.
    await until(`the keys have come to ${item}`, async () => {
      if (await chosen.evaluate((each) => each === document.activeElement)) return true;
      await page.keyboard.press("ArrowDown");
      return false;
    });
    await page.keyboard.press("Enter");
  };
  const hasFocus = (field: Locator, why: string) =>
    untilEqual(() => field.evaluate((each) => each === document.activeElement), true, why);
  const board = async () => {
    await page.goto(`${desk.url}/${ORG}/board`);
    await page.getByText("Ada Lovelace").first().waitFor();
  };

  await step("/ searches also where it is typed with Shift, and from a filter", async () => {
    await board();
    const keys = await page.context().newCDPSession(page);
    // As on a German keyboard.
    const seven = { key: "/", code: "Digit7", windowsVirtualKeyCode: 55, modifiers: 8 };
    await keys.send("Input.dispatchKeyEvent", { type: "keyDown", text: "/", ...seven });
    await keys.send("Input.dispatchKeyEvent", { type: "keyUp", ...seven });
    const search = page.getByRole("searchbox");
    await untilEqual(() => search.evaluate((field) => field === document.activeElement), true);
    await page.keyboard.type("a/n");
    await untilEqual(() => search.inputValue(), "a/n", "what is typed into a field is text");
    await search.fill("");
    await page.getByRole("combobox", { name: "Status" }).focus();
    await page.keyboard.press("/");
    await untilEqual(() => search.evaluate((field) => field === document.activeElement), true);
  });

  await step("n adds while a choice has the focus, and opens nothing over a dialog", async () => {
    await page.getByRole("radio", { name: "Groups" }).focus();
    await page.keyboard.press("n");
    await dialog.getByLabel("Add a TODO").waitFor();
    await closeDialog();
    await page
      .getByRole("button", { name: /Ada Lovelace/ })
      .first()
      .click();
    await dialog.getByText(ADMIN).waitFor();
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    assert.equal(await dialog.count(), 1);
    await dialog.getByText(ADMIN).waitFor();
    await closeDialog();
  });

  await step("a dialog begins in its field, and Escape leads back to where it was opened", async () => {
    const pressEscape = async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    await board();
    const groups = page.getByRole("radio", { name: "Groups" });
    await groups.focus();
    for (const time of ["first", "second"]) {
      await page.keyboard.press("n");
      await hasFocus(dialog.getByLabel("Add a TODO"), `adding, the ${time} time`);
      await pressEscape();
      await hasFocus(groups, `after adding, the ${time} time`);
    }
    const [todo] = (await ada.ask("POST", "/todos", { items: [{ text: "zero" }] })).data;
    await page.goto(`${desk.url}/${ORG}/todos`);
    for (const time of ["first", "second"]) {
      await choose("zero", "Edit");
      await hasFocus(dialog.getByLabel("Text"), `editing, the ${time} time`);
      await pressEscape();
      await isFocused("More for zero", `after editing, the ${time} time`);
    }
    await choose("zero", "Delete");
    await hasFocus(dialog.getByRole("button", { name: "Cancel" }), "being asked");
    await pressEscape();
    await isFocused("More for zero", "after being asked");
    await ada.ask("DELETE", `/todos/${todo.id}`);
  });

  await step("Back closes a person, and what was closed does not come back", async () => {
    const phone = await newPage({ viewport: { width: 390, height: 780 } });
    await phone.context().addCookies(ada.jar);
    await phone.goto(`${desk.url}/${ORG}/me`);
    await phone.getByRole("heading", { level: 1 }).waitFor();
    await phone.goto(`${desk.url}/${ORG}/board?q=a`);
    const person = phone.getByRole("dialog");
    const row = phone.getByRole("button", { name: /Ada Lovelace/ }).last();
    const isAt = (path: string) =>
      untilEqual(() => Promise.resolve(phone.url().slice(desk.url.length)), `/${ORG}${path}`);
    await row.click();
    await person.getByText(ADMIN).waitFor();
    await phone.goBack();
    await person.waitFor({ state: "detached" });
    await isAt("/board?q=a");
    await row.click();
    await person.getByText(ADMIN).waitFor();
    await phone.keyboard.press("Escape");
    await person.waitFor({ state: "detached" });
    await isAt("/board?q=a");
    await phone.goBack();
    await isAt("/me");
    const { me } = await ada.ask("GET", "/board");
    await phone.goto(`${desk.url}/${ORG}/board?person=${me.id}`);
    await person.getByText(ADMIN).waitFor();
    await phone.keyboard.press("Escape");
    await person.waitFor({ state: "detached" });
    await isAt("/board");
    await phone.context().close();
  });

  await step("the row in the place of one that goes has the focus, or the section's heading", async () => {
    const items = ["one", "two", "three", "four"].map((text) => ({ text }));
    await ada.ask("POST", "/todos", { items });
    await page.goto(`${desk.url}/${ORG}/todos`);
    await page.getByLabel("Done: one").focus();
    await page.keyboard.press("Space");
    await section("Done").getByText("one", { exact: true }).waitFor();
    await isFocused("Done: two", "after a tick");
    await choose("two", "Archive");
    await isFocused("More for three", "after a choice of a menu");
    await choose("four", "Delete");
    await inDialog("Delete");
    await dialog.waitFor({ state: "detached" });
    await isFocused("More for three", "of the last the one before it");
    await page.getByLabel("Done: three").focus();
    await page.keyboard.press("Space");
    await isFocused("Open", "where none is left the heading");
  });

  await step("so it is in a table", async () => {
    for (const weekday of [1, 2])
      await ada.ask("POST", "/me/planned", {
        repeats: "weekly",
        status: "remote",
        weekday,
        start: "09:00",
        end: "17:00",
      });
    await page.goto(`${desk.url}/${ORG}/me`);
    for (const next of [/^Remove Remote, Every Tuesday/, /^Planned$/]) {
      await page
        .getByRole("button", { name: /^Remove Remote/ })
        .first()
        .click();
      await inDialog("Remove");
      await dialog.waitFor({ state: "detached" });
      await untilEqual(async () => next.test((await focusedName(page)) ?? ""), true, String(next));
    }
  });

  journey.nothingToComplain();
});
