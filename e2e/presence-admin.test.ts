import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { readable } from "./console-journey.ts";
import { keepPicture } from "./pictures.ts";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed, unrouted } from "./routed.ts";

const BEN = "ben@example.org";

test("presence: what administrators do", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, section, go, seen, closeDialog } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await page.context().addCookies(ada.jar);
  const external = (token: string, path: string, body: object) =>
    fetch(`${desk.url}/api/v1/external/orgs/${ORG}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  await step("people are invited, join by signing in, get a role and a group, and are removed", async () => {
    await page.goto(`${desk.url}/${ORG}/admin/members`);
    await page.getByLabel("E-mail addresses").fill(`${BEN}, grace@example.org`);
    await press("Invite");
    await told("2 people are invited.");
    await section("Open invitations").getByText(BEN).waitFor();
    await press("Withdraw the invitation of grace@example.org");
    await section("Open invitations").getByText("grace@example.org").waitFor({ state: "detached" });
    const { ask } = await desk.as(BEN);
    await ask("PATCH", "/me", { name: "Ben" });
    const members = page.getByRole("grid", { name: "Members" });
    await members.getByText("Ben", { exact: true }).waitFor();
    await page.getByLabel("Role of Ben").selectOption("reception");
    await told("Ben is now Reception.");
    await press("Edit Ben");
    await dialog.getByLabel("Group").fill("Front desk");
    await readable(page);
    await inDialog("Save");
    await members.getByText("Front desk").waitFor();
    await seen();
    await keepPicture(page, "presence-members");
    await press("Edit Ben");
    await dialog.getByLabel("Name").fill("Benjamin");
    const { members: all } = await ada.ask("GET", "/board");
    const { id } = all.find(({ email }: { email: string }) => email === BEN);
    await ada.ask("DELETE", `/members/${id}`);
    await dialog.getByText("It is not in this list any more").waitFor();
    assert.equal(await dialog.getByLabel("Name").inputValue(), "Benjamin", "what was typed stays");
    await closeDialog();
    await members.getByText("Ben", { exact: true }).waitFor({ state: "detached" });
    await ada.ask("POST", "/invitations", { emails: ["grace@example.org"], role: "member" });
    await (await desk.as("grace@example.org")).ask("PATCH", "/me", { name: "Grace" });
    await press("Remove Grace");
    await inDialog("Remove");
    await members.getByText("Grace", { exact: true }).waitFor({ state: "detached" });
  });

  await step("a status is added, used, and removed with the number of those who have it", async () => {
    await go("Statuses");
    await page.getByLabel("Label", { exact: true }).fill("At the gate");
    await untilEqual(() => page.getByLabel("Key", { exact: true }).inputValue(), "at-the-gate");
    await press("Add it");
    await told("At the gate is added.");
    await section("Statuses")
      .getByText(/at-the-gate .* nobody has it/)
      .waitFor();
    await ada.ask("PUT", "/me/status", { status: "at-the-gate" });
    await press("Remove At the gate");
    await dialog
      .getByText("1 person has it: they go back to what they had chosen before, or to the usual status.", {
        exact: true,
      })
      .waitFor();
    await inDialog("Cancel");
    await dialog.waitFor({ state: "detached" });
    await told(/1 person has it/);
    await seen();
    await press("Edit At the gate");
    await dialog.getByLabel("Emoji").fill("🚪");
    await ada.ask("PATCH", "/statuses/at-the-gate", { label: "By the gate" });
    await dialog.getByText("Edit By the gate").waitFor();
    await inDialog("Save");
    await told("Saved.");
    await press("Remove By the gate");
    await inDialog("Remove");
    await told("By the gate is removed.");
  });

  let token = "";
  await step("a token is made, copied, used, and refused at once when it is revoked", async () => {
    await go("Integrations");
    await page.getByLabel("Integration", { exact: true }).fill("badge-reader");
    await page.getByLabel("Set statuses of members").click();
    await press("Make a token");
    token = (await dialog.locator("code").textContent()) ?? "";
    assert.match(token, /^fdp_\w{38}$/);
    await readable(page);
    await dialog.getByRole("button", { name: "Copy the token" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
    await inDialog("I have kept it");
    assert.equal((await external(token, `members/${ADMIN}/status`, { status: "focus" })).status, 200);
    await seen();
    await keepPicture(page, "presence-integrations");
    await press("Revoke badge-reader");
    await inDialog("Revoke");
    await told("The token is revoked.");
    assert.equal((await external(token, `members/${ADMIN}/status`, { status: "focus" })).status, 401);
  });

  await step("a webhook that fails is read in the log, mended, and sent again", async () => {
    const answers = { status: 500, got: 0 };
    const ready = Promise.withResolvers<void>();
    const receiver = createServer(async (request, reply) => {
      request.resume();
      answers.got++;
      await ready.promise;
      reply.writeHead(answers.status).end("out of paper");
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    t.after(() => receiver.close());
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await go("Webhooks");
    await page.getByLabel("Address").fill(address);
    await page.getByLabel("A status changed").click();
    await press("Make the webhook");
    assert.match((await dialog.locator("code").textContent()) ?? "", /^whsec_/);
    await inDialog("I have kept it");
    await seen();
    await page.getByRole("link", { name: address }).click();
    await press("Send a test");
    await told("A test is on its way: see the log.");
    // Answered only now, when the log has been read: it comes by itself.
    ready.resolve();
    const log = page.getByRole("table", { name: "Deliveries" });
    await log.getByText(/· Test$/).waitFor();
    await ada.ask("PUT", "/me/status", { status: "remote" });
    await log.getByText("500").first().waitFor();
    await log
      .getByRole("button", { name: /^Details/ })
      .last()
      .click();
    await dialog.getByText("out of paper").first().waitFor();
    await dialog.getByRole("heading", { name: "Attempt 1" }).waitFor();
    await readable(page);
    await keepPicture(page, "presence-delivery");
    await closeDialog();
    await page.getByLabel("Address").fill(`${address}/mended`);
    // Somebody else has it told of more meanwhile: that is shown, and what was typed stays.
    const { data: webhooks } = await ada.ask("GET", "/webhooks");
    await ada.ask("PATCH", `/webhooks/${webhooks[0].id}`, {
      events: ["member.status.changed", "todo.created"],
    });
    await press("Pause");
    await page.getByRole("checkbox", { name: "A TODO was created", checked: true }).waitFor();
    await press("Resume");
    assert.equal(await page.getByLabel("Address").inputValue(), `${address}/mended`);
    await press("Save");
    await told("Saved.");
    await log
      .getByRole("button", { name: /^Details/ })
      .last()
      .click();
    await dialog.getByText(`Sent to ${address}, which was the webhook's address then.`).first().waitFor();
    await readable(page);
    answers.status = 200;
    await inDialog("Send again");
    await dialog.getByText("Delivered").waitFor();
    await closeDialog();
    await page.getByLabel("Outcome").selectOption("delivered");
    await log.getByText("Delivered").first().waitFor();
    assert.match(page.url(), /outcome=delivered/);
    await seen();
    // The question whether to send all again comes late: whoever has closed the dialog meanwhile is not asked.
    const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>();
    await routed(page, "**/redeliver?*", async (route) => {
      await closed;
      await route.continue();
    });
    await press("Send failed ones again");
    const counted = page.waitForResponse(/\/redeliver\?/);
    await inDialog("Send again");
    await closeDialog();
    isClosed();
    await (await counted).finished();
    // Everything that the answer brings about is on the page two frames later.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    assert.equal(await dialog.count(), 0);
    await unrouted(page, "**/redeliver?*");
    await press("Pause");
    await told("Paused. What happens meanwhile is sent when it is resumed.");
    await press("Remove");
    await inDialog("Remove");
    await told("There is no webhook");
  });

  await step("the audit log tells who did it", async () => {
    await go("Audit log");
    await page.getByRole("table", { name: "Audit log" }).getByText("token.revoked").waitFor();
    await page.getByLabel("What").fill("token.issued");
    await told("token.issued");
    await seen();
  });

  await step("the organisation's settings, and one's own account", async () => {
    await go("Organisation");
    await page.getByLabel("Closing time").fill("18:30");
    await press("Save");
    await told("Saved.");
    await seen();
    assert.equal((await ada.ask("GET", "/board")).org.closingTime, "18:30");
    await go("Account");
    await page.getByLabel("Your name").fill("Ada King");
    await press("Save");
    await told("Ada King");
    await ada.ask("PATCH", "/me", { name: "Ada Lovelace" });
    await page.getByLabel("Your time zone").selectOption("Asia/Tokyo");
    await press("Save");
    await until("the zone is saved, and the name that came meanwhile stays", async () => {
      const { members } = await ada.ask("GET", "/board");
      return members.some(
        ({ name, timeZone }: Record<string, unknown>) => name === "Ada Lovelace" && timeZone === "Asia/Tokyo",
      );
    });
    await seen();
  });

  await step("an address that leads nowhere is told inside the frame, and the guide is a page", async () => {
    await page.goto(`${desk.url}/${ORG}/nothing/here`);
    await page.getByRole("heading", { level: 1, name: "Not found" }).waitFor();
    await readable(page);
    await go("Help");
    await readable(page);
  });

  journey.nothingToComplain();
});
