import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed, unrouted } from "./routed.ts";

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

  /** Holds back the answers of these requests until they are released. */
  const hold = async (pattern: string, method: string) => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    let isSent = false;
    await routed(page, pattern, async (route) => {
      if (route.request().method() === method) {
        isSent = true;
        // Each of them: a list may be asked for once more before the first answer is here.
        await released;
      }
      await route.continue();
    });
    return {
      sent: () => until("it is sent", () => isSent),
      /** Until the page has the answer. */
      release: async () => {
        const answer = page.waitForResponse((response) => response.request().method() === method);
        resolve();
        await (await answer).finished();
        await unrouted(page, pattern);
      },
    };
  };

  /** Loses the answer to the next of these requests, which is carried out. */
  const loseAnswer = async (pattern: string, method: string) => {
    let count = 0;
    await routed(page, pattern, async (route) => {
      if (route.request().method() !== method || count++ > 0) return route.continue();
      await route.fetch();
      await route.abort("blockedbyclient");
    });
  };

  /** Makes a TODO, and opens it to be edited. */
  const editTodo = async (text: string) => {
    const [todo] = (await ada.ask("POST", "/todos", { items: [{ text, projectId: projects.Move }] })).data;
    await page.goto(`${desk.url}/${ORG}/projects/${projects.Move}`);
    await press(`More for ${text}`);
    await page.getByRole("menuitem", { name: "Edit" }).click();
    return {
      id: todo.id,
      field: dialog.getByLabel("Text"),
      change: (json: object) => ada.ask("PATCH", `/todos/${todo.id}`, json, { "if-match": "*" }),
    };
  };

  await step("a token is told, once, also where the list of tokens cannot be read", async () => {
    const tokens = `**/orgs/${ORG}/tokens`;
    await routed(page, tokens, (route) =>
      route.request().method() === "GET" ? route.fulfill({ status: 404, json: {} }) : route.continue(),
    );
    await page.goto(`${desk.url}/${ORG}/admin/integrations`);
    const made = section("New token");
    await made.getByLabel("Integration").fill("calendar");
    await made.getByRole("checkbox").first().check();
    // The list is asked for again behind it, and refused again.
    const isAskedAgain = page.waitForResponse(
      (response) => response.request().method() === "GET" && response.url().endsWith("/tokens"),
    );
    await made.getByRole("button", { name: "Make a token" }).click();
    await (await isAskedAgain).finished();
    await page.getByText(/^fdp_/).waitFor();
    await unrouted(page, tokens);
    await page.reload();
    await page.getByRole("row", { name: /calendar/ }).waitFor();
  });

  await step("a TODO that goes to another project while it is edited can be saved", async () => {
    const { field, change } = await editTodo("Call the plumber");
    await field.fill("Call the plumber before noon");
    await change({ projectId: projects.Alpha });
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
    const { field, change } = await editTodo("Paint");
    await field.fill("Paint it green");
    await change({ archived: true });
    await dialog.getByText("It is not in this list any more").waitFor();
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await change({ archived: false })).text, "Paint it green");
  });

  await step("a TODO whose text is changed while it is saved a second time shows both", async () => {
    const { id, field, change } = await editTodo("Fence");
    await field.fill("Fence, white");
    await change({ archived: true });
    await dialog.getByText("It is not in this list any more").waitFor();
    let tries = 0;
    await routed(page, `**/todos/${id}`, async (route) => {
      if (route.request().method() === "PATCH" && ++tries === 2) await change({ text: "Fence, red" });
      await route.continue();
    });
    await inDialog("Save");
    await dialog.getByText("was changed elsewhere").waitFor();
    await dialog.getByText("Fence, red").waitFor();
    await unrouted(page, `**/todos/${id}`);
    await inDialog("Keep mine");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await change({ archived: false })).text, "Fence, white");
  });

  await step("what is typed into a TODO while it is saved stays, and its dialog is open", async () => {
    const { field, change } = await editTodo("Gate");
    await field.fill("Gate, open");
    const patch = await hold("**/todos/*", "PATCH");
    await inDialog("Save");
    await patch.sent();
    await field.fill("Gate, wide open");
    await patch.release();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await field.inputValue(), "Gate, wide open");
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await change({ archived: false })).text, "Gate, wide open");
  });

  await step("of two versions of a TODO one is chosen, once, and what is typed meanwhile stays", async () => {
    const { field, change } = await editTodo("Roof");
    await field.fill("Roof, red");
    await change({ text: "Roof, blue" });
    await dialog.getByText("was changed elsewhere").waitFor();
    const patches: (string | null)[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") patches.push(request.postData());
    });
    const patch = await hold("**/todos/*", "PATCH");
    await dialog.getByRole("button", { name: "Keep mine" }).dblclick();
    await patch.sent();
    const theirs = dialog.getByRole("button", { name: "Take theirs" });
    assert.equal(await theirs.isDisabled(), true);
    await theirs.dispatchEvent("click");
    await field.fill("Roof, red and white");
    await patch.release();
    await page.getByText("Yours is kept.").waitFor();
    assert.equal(await page.getByText("Theirs is kept.").count(), 0);
    assert.deepEqual(patches, [JSON.stringify({ text: "Roof, red" })]);
    assert.equal(await field.inputValue(), "Roof, red and white");
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await change({ archived: false })).text, "Roof, red and white");
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
    await section("Now").getByRole("button", { name: "Remote", pressed: true }).waitFor();
  });

  await step("an answer for one person leaves the dialog of another open", async () => {
    await page.goto(`${desk.url}/${ORG}/board`);
    const open = async (name: string) => {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      await dialog.getByRole("button", { name: "Set it" }).waitFor();
    };
    for (const next of ["Cleo", "Ben"]) {
      const put = await hold("**/members/*/status", "PUT");
      await open("Ben");
      await dialog.getByLabel("Status", { exact: true }).selectOption("remote");
      await inDialog("Set it");
      await put.sent();
      await closeDialog();
      await open(next);
      await dialog.getByLabel("Note", { exact: true }).fill("Back on Monday");
      await put.release();
      await page.getByText(/^Ben: /).waitFor();
      assert.equal(await dialog.getByLabel("Note", { exact: true }).inputValue(), "Back on Monday", next);
      await closeDialog();
    }
  });

  await step("an answer for one plan leaves the dialog of the next open", async () => {
    await page.goto(`${desk.url}/${ORG}/me`);
    const plan = () => section("Planned").getByRole("button", { name: "Plan a status" }).click();
    const post = await hold("**/me/planned", "POST");
    await plan();
    await dialog.getByText("Every week").click();
    await inDialog("Plan a status");
    await post.sent();
    await closeDialog();
    await plan();
    await dialog.getByLabel("Note", { exact: true }).fill("The second");
    await post.release();
    await page.getByText("Planned.", { exact: true }).waitFor();
    assert.equal(await dialog.getByLabel("Note", { exact: true }).inputValue(), "The second");
    await closeDialog();
  });

  const myStatus = async () => {
    const { members } = await ada.ask("GET", "/board");
    return members.find(({ email }: { email: string }) => email === ADMIN).status;
  };

  await step("what is chosen for the next status while one is set stays chosen", async () => {
    const form = section("Another time, or with a note");
    const status = form.getByLabel("Status", { exact: true });
    const monday = form.getByRole("button", { name: /Monday/ });
    await status.selectOption("in-meeting");
    await form.getByRole("button", { name: "30 min" }).click();
    const put = await hold("**/me/status", "PUT");
    await press("Set it");
    await put.sent();
    await status.selectOption("vacation");
    await monday.click();
    await put.release();
    await page.getByText(/^In a meeting, until /).waitFor();
    assert.equal(await monday.getAttribute("aria-pressed"), "true");
    await press("Set it");
    await untilEqual(async () => (await myStatus()).status, "vacation");
    assert.notEqual((await myStatus()).expiresAt, null);
    await untilEqual(() => monday.getAttribute("aria-pressed"), "false", "for the next one it is as usual");
  });

  await step("what a planned status had begun is not offered back once that is removed", async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const trip = { repeats: "never", status: "away", from: inHours(-1), to: inHours(8) };
    await ada.ask("POST", "/me/planned", trip);
    await untilEqual(async () => (await myStatus()).source, "plan");
    await section("Now").getByRole("button", { name: "Away", pressed: true }).waitFor();
    await section("Now").getByRole("button", { name: "In a meeting" }).click();
    const undo = page.getByRole("button", { name: /^Undo/ });
    await untilEqual(() => undo.count(), 2, "beside the status, and in the message");
    await section("Planned")
      .getByRole("button", { name: /^Remove Away/ })
      .click();
    await inDialog("Remove");
    await untilEqual(() => undo.count(), 0);
  });

  await step("what is typed for somebody while their status is set is there for the next one", async () => {
    await page.goto(`${desk.url}/${ORG}/board`);
    await page.getByRole("button", { name: /^Ben/ }).click();
    await dialog.getByLabel("Status", { exact: true }).selectOption("in-office");
    const put = await hold("**/members/*/status", "PUT");
    await inDialog("Set it");
    await put.sent();
    await dialog.getByLabel("Note", { exact: true }).fill("Until noon");
    await put.release();
    await page.getByText(/^Ben: /).waitFor();
    await inDialog("Set it");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Until noon").first().waitFor();
  });

  await step("a dialog in which something else was typed while it was saved stays open", async () => {
    await ada.ask("POST", "/projects", { name: "Garden" });
    for (const [path, opener, field, pattern, method] of [
      ["/admin/members", "Edit Cleo", "Group", "**/members/*", "PATCH"],
      ["/admin/statuses", "Edit Away", "Label", "**/statuses/*", "PATCH"],
      ["/projects", "Rename Garden", "Name", "**/projects/*", "PATCH"],
      ["/me", "Plan a status", "Note", "**/me/planned", "POST"],
      ["/me", /^Change Remote/, "Note", "**/me/planned/*", "PUT"],
    ] as const) {
      const isNew = method === "POST";
      await page.goto(`${desk.url}/${ORG}${path}`);
      await press(opener);
      const typed = dialog.getByLabel(field, { exact: true });
      if (isNew) {
        await dialog.getByLabel("Status", { exact: true }).selectOption("remote");
        await dialog.getByText("Every week").click();
      }
      await typed.fill("First");
      const held = await hold(pattern, method);
      await inDialog(isNew ? "Plan a status" : "Save");
      await held.sent();
      await typed.fill(`${method} of ${field}`);
      await held.release();
      await page.getByText(/^(Saved|Planned)\.$/).waitFor();
      assert.equal(await typed.inputValue(), `${method} of ${field}`);
      await inDialog("Save");
      await dialog.waitFor({ state: "detached" });
      await page.getByText(`${method} of ${field}`, { exact: true }).first().waitFor();
    }
    const { data } = await ada.ask("GET", "/me/planned");
    const remote = data.filter(({ status }: { status: string }) => status === "remote");
    assert.deepEqual(
      remote.map(({ note }: { note: string }) => note),
      ["PUT of Note"],
      "planned once",
    );
  });

  await step("what was sent, and not answered, is sent again, also as it was before", async () => {
    const { webhook } = await ada.ask("POST", "/webhooks", { url: "https://hooks.example/", events: [] });
    for (const [path, opener, label, wrong, pattern] of [
      ["/admin/members", "Edit Cleo", "Group", "Wrong", "**/members/*"],
      ["/admin/statuses", "Edit Sick", "Label", "Wrong", "**/statuses/*"],
      ["/admin/organisation", undefined, "Name", "Wrong", `**/orgs/${ORG}`],
      ["/account", undefined, "Your name", "Wrong", "**/me"],
      [`/admin/webhooks/${webhook.id}`, undefined, "Address", "https://wrong.example/", "**/webhooks/*"],
    ] as const) {
      const open = async () => {
        await page.goto(`${desk.url}/${ORG}${path}`);
        if (opener) await press(opener);
      };
      await open();
      const form = (opener ? dialog : page)
        .locator("form")
        .filter({ has: page.getByLabel(label, { exact: true }) });
      const field = form.getByLabel(label, { exact: true });
      const save = form.getByRole("button", { name: "Save" });
      const before = await field.inputValue();
      await field.fill(wrong);
      await loseAnswer(pattern, "PATCH");
      await save.click();
      await form.getByText("The server did not answer.").waitFor();
      await field.fill(before);
      await save.click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      await unrouted(page, pattern);
      await open();
      assert.equal(await field.inputValue(), before, path);
    }
  });

  await step("a plan that was sent is not planned again by whoever goes on to press Enter", async () => {
    const plans = async () => (await ada.ask("GET", "/me/planned")).data as { id: string; note: string }[];
    for (const { id } of await plans()) await ada.ask("DELETE", `/me/planned/${id}`);
    await page.goto(`${desk.url}/${ORG}/me`);
    await press("Plan a status");
    const note = dialog.getByLabel("Note", { exact: true });
    await dialog.getByText("Every week").click();
    await note.fill("First");
    const post = await hold("**/me/planned", "POST");
    await inDialog("Plan a status");
    await post.sent();
    await note.fill("Second");
    await page.evaluate(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const form = document.querySelector<HTMLFormElement>("[role=dialog] form");
        form?.requestSubmit();
        if (form) port2.postMessage(0);
      };
      port2.postMessage(0);
    });
    await post.release();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(
      (await plans()).map((plan) => plan.note),
      ["Second"],
    );
  });

  await step("a plan that is removed elsewhere while its form is open can be planned anew", async () => {
    const plans = async () => (await ada.ask("GET", "/me/planned")).data as { id: string; note: string }[];
    await page.goto(`${desk.url}/${ORG}/me`);
    await press("Plan a status");
    const note = dialog.getByLabel("Note", { exact: true });
    await dialog.getByText("Every week").click();
    await note.fill("First");
    const post = await hold("**/me/planned", "POST");
    await inDialog("Plan a status");
    await post.sent();
    await note.fill("Third");
    await post.release();
    await page.getByText("Planned.", { exact: true }).waitFor();
    for (const { id } of await plans()) await ada.ask("DELETE", `/me/planned/${id}`);
    await inDialog("Save");
    await dialog.getByText("There is no such planned status.").waitFor();
    await inDialog("Plan a status");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(
      (await plans()).map((plan) => plan.note),
      ["Third"],
    );
  });

  await step("what is saved of a plan while its form is open stays, unless it was typed here", async () => {
    const weekly = { repeats: "weekly", status: "remote", weekday: 1, start: "09:00", end: "17:00" };
    const { id } = await ada.ask("POST", "/me/planned", weekly);
    await page.goto(`${desk.url}/${ORG}/me`);
    const open = () => page.getByRole("button", { name: /^Change Remote/ }).click();
    const ends = dialog.getByLabel("To", { exact: true });
    const note = dialog.getByLabel("Note", { exact: true });
    await open();
    await note.fill("at home");
    await ada.ask("PUT", `/me/planned/${id}`, { ...weekly, end: "18:00" });
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    const saved = async () => {
      const { data } = await ada.ask("GET", "/me/planned");
      const found = data.find((each: { id: string }) => each.id === id);
      return [found.end, found.note];
    };
    assert.deepEqual(await saved(), ["18:00", "at home"]);
    await open();
    const put = await hold("**/me/planned/*", "PUT");
    await ends.fill("19:00");
    await inDialog("Save");
    await put.sent();
    await closeDialog();
    await open();
    await note.fill("in the garden");
    await put.release();
    await untilEqual(() => ends.inputValue(), "19:00");
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await saved(), ["19:00", "in the garden"]);
    await open();
    await ends.fill("13:00");
    await ada.ask("PUT", `/me/planned/${id}`, { ...weekly, start: "14:00", note: "later" });
    await inDialog("Save");
    await dialog.waitFor({ state: "detached" });
    const [changed] = (await ada.ask("GET", "/me/planned")).data.filter(
      (each: { id: string }) => each.id === id,
    );
    assert.deepEqual([changed.start, changed.end, changed.note], ["09:00", "13:00", "later"]);
    await open();
    await note.fill("thrown away");
    await page.keyboard.press("Escape");
    // Before it has gone.
    await page.getByRole("button", { name: /^Change Remote/, includeHidden: true }).dispatchEvent("click");
    await untilEqual(() => note.inputValue(), "later");
    await closeDialog();
    await ada.ask("DELETE", `/me/planned/${id}`);
  });

  await step("a plan for another day leaves the way back from what was set", async () => {
    const mondays = { repeats: "weekly", status: "remote", weekday: 1, start: "09:00", end: "17:00" };
    await ada.ask("POST", "/me/planned", mondays);
    await page.goto(`${desk.url}/${ORG}/me`);
    await section("Now").getByRole("button", { name: "In the office" }).click();
    const undo = page.getByRole("button", { name: /^Undo/ });
    await untilEqual(() => undo.count(), 2, "beside the status, and in the message");
    await section("Planned")
      .getByRole("button", { name: /^Remove Remote/ })
      .click();
    await inDialog("Remove");
    await page.getByText("Removed.", { exact: true }).waitFor();
    assert.equal(await undo.count(), 2);
  });

  await step("an answer for deliveries leaves the dialog open that was opened since", async () => {
    const { webhook } = await ada.ask("POST", "/webhooks", { url: "https://hooks.example/", events: [] });
    await page.goto(`${desk.url}/${ORG}/admin/webhooks/${webhook.id}`);
    const sent = await hold("**/redeliver", "POST");
    await press("Send failed ones again");
    await inDialog("Send again");
    await page
      .getByRole("dialog", { name: /^Send .*\?$/ })
      .getByRole("button", { name: "Send again" })
      .click();
    await sent.sent();
    await closeDialog();
    await press("Send failed ones again");
    await dialog.getByRole("button", { name: "Send again" }).waitFor();
    await sent.release();
    await page.getByText("Nothing failed since then.").waitFor();
    assert.equal(await dialog.count(), 1);
    await closeDialog();
  });

  await step("an arrow key makes nobody an administrator unasked", async () => {
    const roleOfBen = async () => {
      const { members } = await ada.ask("GET", "/board");
      return members.find(({ email }: { email: string }) => email === BEN).role;
    };
    await page.goto(`${desk.url}/${ORG}/admin/members`);
    const role = page.getByLabel("Role of Ben");
    await role.focus();
    await page.keyboard.press("ArrowDown");
    await untilEqual(roleOfBen, "reception");
    await page.keyboard.press("ArrowDown");
    await inDialog("Cancel");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await role.inputValue(), "reception");
    assert.equal(await roleOfBen(), "reception");
    await role.selectOption("admin");
    await inDialog("Make an administrator");
    await untilEqual(roleOfBen, "admin");
    await untilEqual(() => role.inputValue(), "admin");

    const patch = await hold("**/members/*", "PATCH");
    await role.selectOption("reception");
    await patch.sent();
    await role.selectOption("member");
    await untilEqual(() => role.inputValue(), "member");
    await patch.release();
    await page.getByText("Ben is now Member.").waitFor();
    assert.equal(await roleOfBen(), "member", "what was chosen last");
  });

  await step(
    "the form for a new status is there once the list above it is, and is not pushed away",
    async () => {
      const held = await hold("**/statuses", "GET");
      await page.goto(`${desk.url}/${ORG}/admin/statuses`);
      await held.sent();
      await page.getByRole("heading", { level: 1, name: "Statuses" }).waitFor();
      assert.equal(await section("New status").count(), 0);
      await held.release();
      await section("New status").waitFor();
      assert.notEqual(await page.getByRole("button", { name: /^Edit / }).count(), 0);
      // Where the list cannot be read, the form is there all the same.
      const statuses = `**/orgs/${ORG}/statuses`;
      await routed(page, statuses, (route) => route.fulfill({ status: 404, json: {} }));
      await page.goto(`${desk.url}/${ORG}/admin/statuses`);
      await section("New status").waitFor();
      assert.equal(await page.getByRole("button", { name: /^Edit / }).count(), 0);
      await unrouted(page, statuses);
    },
  );

  await step(
    "what is typed for the next status while one is added, and the list read again, is kept",
    async () => {
      await page.goto(`${desk.url}/${ORG}/admin/statuses`);
      const label = section("New status").getByLabel("Label", { exact: true });
      for (const [method, name, next] of [
        ["POST", "Lunch", "Dentist"],
        ["GET", "Dentist", "School run"],
      ] as const) {
        await label.fill(name);
        const held = await hold("**/statuses", method);
        await press("Add it");
        await held.sent();
        await label.fill(next);
        await held.release();
        await page.getByText(`${name} is added.`).waitFor();
        assert.equal(await label.inputValue(), next, method);
      }
      const key = section("New status").getByLabel("Key", { exact: true });
      for (const [name, own, field, next, then] of [
        ["School run", "school", key, "gym", "gym"],
        ["Gym", "sports", label, "Swimming", "swimming"],
      ] as const) {
        await label.fill(name);
        await key.fill(own);
        const held = await hold("**/statuses", "POST");
        await press("Add it");
        await held.sent();
        await field.fill(next);
        await held.release();
        await page.getByText(`${name} is added.`).waitFor();
        assert.equal(await key.inputValue(), then, name);
      }
    },
  );

  await step("what is chosen while a status is added is of the next one, and adds none", async () => {
    const form = section("New status");
    await form.getByLabel("Label", { exact: true }).fill("Errand");
    const post = await hold("**/statuses", "POST");
    await press("Add it");
    await post.sent();
    await form.getByLabel("Emoji", { exact: true }).fill("🥗");
    await post.release();
    await page.getByText("Errand is added.").waitFor();
    assert.equal(await form.getByLabel("Emoji", { exact: true }).inputValue(), "🥗");
    assert.equal(await form.getByLabel("Label", { exact: true }).inputValue(), "");
    assert.equal(await form.getByRole("button", { name: "Add it" }).isDisabled(), true);
  });

  await step("a new status whose answer is lost is not added under a second key", async () => {
    const form = section("New status");
    await form.getByLabel("Label", { exact: true }).fill("Field trip");
    await loseAnswer("**/statuses", "POST");
    await press("Add it");
    await page.getByText("field-trip ·").waitFor();
    await form.getByRole("alert").waitFor();
    await press("Add it");
    await form.getByText("The vocabulary has a status with this key.").waitFor();
    assert.equal(await page.getByText("field-trip-2").count(), 0);
  });

  await step("how many minutes a status usually lasts is a number", async () => {
    await press("Edit In a meeting");
    const minutes = dialog.getByLabel(/minutes/i);
    await minutes.fill("");
    await minutes.pressSequentially("-");
    assert.equal(await minutes.inputValue(), "");
    await closeDialog();
  });

  journey.nothingToComplain();
});
