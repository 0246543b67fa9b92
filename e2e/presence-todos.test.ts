import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed, unrouted } from "./routed.ts";

const numbered = (word: string, amount: number) =>
  Array.from({ length: amount }, (_, at) => ({ text: `${word} ${at + 1}` }));

test("presence: many TODOs", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, section, told } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await page.context().addCookies(ada.jar);
  const make = async (items: object[]): Promise<Array<{ id: string }>> =>
    (await ada.ask("POST", "/todos", { items })).data;
  const rows = (name: string) => section(name).getByRole("listitem");
  const tickAll = async (todos: Array<{ id: string }>) => {
    for (const { id } of todos) await ada.ask("PATCH", `/todos/${id}`, { done: true }, { "if-match": "*" });
  };

  await step("of what is done the newest are shown, and older ones when they are asked for", async () => {
    await tickAll(await make(numbered("Past", 70)));
    await page.goto(`${desk.url}/${ORG}/todos`);
    await section("Done").getByText("The newest 50").waitFor();
    assert.equal(await rows("Done").count(), 50);
    await rows("Done").first().getByText("Past 70").waitFor();
    await press("Show older ones");
    await section("Done").getByText("70 done").waitFor();
    await rows("Done").last().getByText("Past 1", { exact: true }).waitFor();
    assert.equal(await section("Done").getByRole("button", { name: "Show older ones" }).count(), 0);
  });

  await step(
    "of many open ones the first are drawn, all others on demand, and what was ticked last is first after a reload",
    async () => {
      for (const items of [numbered("Near", 100), numbered("Far", 50)]) await make(items);
      await page.reload();
      await section("Open").getByRole("button", { name: "Show 50 more" }).waitFor();
      assert.equal(await rows("Open").count(), 100);
      await page.getByLabel("Done: Near 7", { exact: true }).click();
      await section("Open").getByRole("button", { name: "Show 49 more" }).waitFor();
      await rows("Done").first().getByText("Near 7").waitFor();
      await page.reload();
      await rows("Done").first().getByText("Near 7").waitFor();
      await section("Open").getByRole("button", { name: "Move Near 1, number 1 of 149" }).click();
      await page.getByRole("menuitem", { name: "To the bottom" }).click();
      await rows("Open").first().getByText("Near 2", { exact: true }).waitFor();
      await page.getByLabel("Add a TODO").fill("Behind them all");
      await page.keyboard.press("Enter");
      await told("1 TODO added");
      await press("Show 50 more");
      await untilEqual(() => rows("Open").count(), 150);
      await rows("Open").last().getByText("Behind them all").waitFor();
      await rows("Open").nth(148).getByText("Near 1", { exact: true }).waitFor();
    },
  );

  await step(
    "what is on its way is shown until it is there, and a text of several lines stays one",
    async () => {
      const late = Promise.withResolvers<void>();
      await routed(page, "**/todos", async (route) => {
        if (route.request().method() === "POST") await late.promise;
        await route.continue();
      });
      await page.getByLabel("Add a TODO").fill("Call the plumber");
      await page.keyboard.press("Enter");
      await told("Adding Call the plumber …");
      await page.keyboard.type("And the painter");
      await page.keyboard.press("Enter");
      await told("Adding 2 TODOs …");
      late.resolve();
      await told(/^Enter adds it/);
      await unrouted(page, "**/todos");
      const [letter] = await make([{ text: "Dear Ben,\nthe fair is on Monday.\nAda" }]);
      await ada.ask("POST", `/todos/${letter?.id}/move`, { after: null });
      await page.goto(`${desk.url}/${ORG}/todos`);
      await press(/^More for Dear Ben/);
      await page.getByRole("menuitem", { name: "Edit" }).click();
      const text = dialog.getByLabel("Text");
      await text.press("ControlOrMeta+End");
      await text.pressSequentially(" L.");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
      const { data } = await ada.ask("GET", "/todos?limit=1&order=changed");
      assert.equal(data[0].text, "Dear Ben,\nthe fair is on Monday.\nAda L.");
    },
  );

  journey.nothingToComplain();
});
