import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";

const BEN = "ben@example.org";
const CLEO = "cleo@example.org";

test("presence: what changes, or is answered, while somebody fills in a form", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, section, closeDialog } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await ada.ask("POST", "/invitations", { emails: [BEN, CLEO], role: "member" });
  for (const [email, name] of [
    [BEN, "Ben"],
    [CLEO, "Cleo"],
  ] as const)
    await (await desk.as(email)).ask("PATCH", "/me", { name });
  await page.context().addCookies(ada.jar);
  const projects: Record<string, string> = {};
  for (const name of ["Alpha", "Move", "Secret"])
    projects[name] = (await ada.ask("POST", "/projects", { name })).id;

  await step("a TODO that goes to another project while it is edited can be saved", async () => {
    const [todo] = (
      await ada.ask("POST", "/todos", { items: [{ text: "Call the plumber", projectId: projects.Move }] })
    ).data;
    await page.goto(`${desk.url}/${ORG}/projects/${projects.Move}`);
    await press("More for Call the plumber");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByLabel("Text").fill("Call the plumber before noon");
    await ada.ask("PATCH", `/todos/${todo.id}`, { projectId: projects.Alpha }, { "if-match": "*" });
    await dialog.getByText("It is not in this list any more").waitFor();
    await inDialog("Save");
    await dialog.getByText("was changed elsewhere").waitFor();
    assert.equal(await dialog.getByText("It is not in this list any more").count(), 0);
    await inDialog("Keep mine");
    await dialog.waitFor({ state: "detached" });
    const { data } = await ada.ask("GET", `/todos?project=${projects.Alpha}`);
    assert.deepEqual(
      data.map(({ text }: { text: string }) => text),
      ["Call the plumber before noon"],
    );
  });

  await step("a TODO that is archived while it is edited is saved at once", async () => {
    const [todo] = (await ada.ask("POST", "/todos", { items: [{ text: "Paint", projectId: projects.Move }] }))
      .data;
    await page.goto(`${desk.url}/${ORG}/projects/${projects.Move}`);
    await press("More for Paint");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByLabel("Text").fill("Paint it green");
    const change = (json: object) => ada.ask("PATCH", `/todos/${todo.id}`, json, { "if-match": "*" });
    await change({ archived: true });
    await dialog.getByText("It is not in this list any more").waitFor();
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await change({ archived: false })).text, "Paint it green");
  });

  await step(
    "a link is made for the project that is shown, also where the chosen one was archived",
    async () => {
      await page.goto(`${desk.url}/${ORG}/share-links`);
      const form = section("New share link");
      await form.getByLabel("Name").fill("For the customer");
      await form.getByLabel("What it shows").selectOption({ label: "A project" });
      const project = form.getByLabel("Project", { exact: true });
      await project.selectOption({ label: "Secret" });
      await ada.ask("PATCH", `/projects/${projects.Secret}`, { archived: true });
      await untilEqual(() => project.inputValue(), "");
      assert.equal(await form.getByRole("button", { name: "Make the link" }).isDisabled(), true);
      await project.selectOption({ label: "Move" });
      await press("Make the link");
      await press("I have kept it");
      const [link] = (await ada.ask("GET", "/share-links")).data;
      assert.equal(link.projectId, projects.Move);
    },
  );

  await step("a status that was removed while it was chosen is to be chosen again", async () => {
    await page.goto(`${desk.url}/${ORG}/me`);
    const status = section("Another time, or with a note").getByLabel("Status", { exact: true });
    await status.selectOption("focus");
    await section("Planned").getByRole("button", { name: "Plan a status" }).click();
    const planned = dialog.getByLabel("Status", { exact: true });
    await dialog.getByText("Every week").click();
    await planned.selectOption("focus");
    await ada.ask("DELETE", "/statuses/focus");
    for (const each of [status, planned]) await untilEqual(() => each.inputValue(), "");
    assert.equal(await dialog.getByRole("button", { name: "Plan a status" }).isDisabled(), true);
    await closeDialog();
    assert.equal(await page.getByRole("button", { name: "Set it", exact: true }).isDisabled(), true);
    await status.selectOption("remote");
    await press("Set it");
    await section("Now").getByText("Remote").waitFor();
  });

  journey.nothingToComplain();
});
