import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { Secret, TOTP } from "otpauth";
import { ADA, closeMessages, consoleJourney } from "./console-journey.ts";
import { twoColourPhoto } from "./pictures.ts";
import { routed } from "./routed.ts";

test("the small things of the avatar console that people stumbled over stay mended", async (t) => {
  const journey = await consoleJourney(t, { AVATAR_ADMINS: ADA });
  if (!journey) return;
  const { desk, page, step, go, press, told, askForCode, nothingToComplain } = journey;

  await step("where no mail is sent, the page says where the code lies", async () => {
    await page.goto(desk.consoleUrl);
    const code = await askForCode(ADA);
    await told(/^This server sends no mail\. The six-digit code for .* lies as a file in its outbox folder/);
    assert.equal(await page.getByText(/spam/i).count(), 0);
    await page.getByLabel("Code from the mail").fill(code);
    await press("Sign in");
    await page.getByRole("heading", { level: 1, name: "Your face" }).waitFor();
  });

  await step("a name that was given can be changed", async () => {
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Byron");
    await press("Save my name");
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
    await go("Account and security");
    await page.getByLabel("Last name").fill("Lovelace");
    await press("Change my name");
    await told("Your name is changed.");
    await page.reload();
    await page.getByLabel("Last name").waitFor();
    await untilEqual(() => page.getByLabel("Last name").inputValue(), "Lovelace");
  });

  await step(
    "a name that is typed outlives leaving, and does not replace one that was not seen",
    async () => {
      const last = page.getByLabel("Last name");
      await last.fill("King");
      await page.getByRole("link", { name: "Design", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
      await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
      await go("Account and security");
      await untilEqual(() => last.inputValue(), "King");
      // In another tab of hers.
      const status = await page.evaluate(async () => {
        const body = JSON.stringify({ first_name: "Augusta", last_name: "Byron" });
        const headers = { "content-type": "application/json" };
        const reply = await fetch("/me/name", { method: "PATCH", headers, body });
        await reply.text();
        return reply.status;
      });
      assert.equal(status, 200);
      await press("Change my name");
      await told("Your name was changed elsewhere");
      await page.getByRole("row", { name: /First name.*Augusta.*Ada/ }).waitFor();
      await untilEqual(() => last.inputValue(), "King");
      await press("Take theirs");
      await untilEqual(() => last.inputValue(), "Byron");
      await page.getByLabel("First name").fill("Ada");
      await last.fill("Lovelace");
      await press("Change my name");
      await told("Your name is changed.");
    },
  );

  await step("a style that is left for another and chosen again has its details as they were", async () => {
    await go("Design");
    const style = (name: string) => page.getByRole("radio", { name, exact: true });
    await style("Avataaars").check({ force: true });
    await page.getByRole("tab", { name: "Top", exact: true }).click();
    await style("Bob").check({ force: true });
    await style("Initials").check({ force: true });
    await page.getByRole("tab", { name: "Top", exact: true }).waitFor({ state: "detached" });
    await style("Avataaars").check({ force: true });
    await page.getByRole("tab", { name: "Top", exact: true }).click();
    await untilEqual(() => style("Bob").isChecked(), true);
  });

  await step("every drawing has a name that a person understands", async () => {
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      const names = await page
        .getByRole("tabpanel")
        .getByRole("radio")
        .evaluateAll((radios) =>
          radios.map((radio) => radio.closest("label")?.textContent ?? radio.ariaLabel),
        );
      for (const name of names) assert.doesNotMatch(name ?? "", /ooxoo|^alt$|as usual/i);
    }
    await press("Save");
    await told("Saved. All your confirmed addresses show this face now.");
  });

  await step("saving a design asks before it takes the place of a picture", async () => {
    await go("Upload a picture");
    const buffer = await twoColourPhoto();
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "photo.png", mimeType: "image/png", buffer });
    await press("Use this picture");
    await page
      .getByRole("dialog", { name: "Replace your design?" })
      .getByRole("button", { name: "Replace it" })
      .click();
    await told("Saved. All your confirmed addresses show this picture now.");
    await go("Design");
    await press("Shuffle");
    await press("Save");
    const question = page.getByRole("dialog", { name: "Replace your picture?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await go("Your face");
    await told(/picture/i);
  });

  await step("one is counted as one", async () => {
    await go("Administration");
    await page.getByText("account", { exact: true }).first().waitFor();
    assert.equal(await page.getByText("accounts", { exact: true }).count(), 0);
  });

  await step("a recovery code is on one line, on a phone too", async () => {
    await go("Account and security");
    await press("Turn it on");
    const key = await page.getByText(/^[A-Z2-7]{16,}$/).textContent();
    await page
      .getByLabel("Code from the app")
      .fill(new TOTP({ secret: Secret.fromBase32(key ?? "") }).generate());
    await press("Turn it on");
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const lines = await codes.evaluateAll((items) =>
        items.map((item) => {
          const range = document.createRange();
          range.selectNodeContents(item);
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
        }),
      );
      assert.deepEqual([...new Set(lines)], [1], `at ${width} pixels`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await press("I have kept them");
    await closeMessages(page);
  });
  await step("nothing in the editor moves when its picture comes, on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
    await routed(page, "**/me/avatar/preview", async (route) => {
      await isLetGo;
      await route.continue();
    });
    await page.goto(`${desk.consoleUrl}/editor`);
    const faces = page.getByRole("list", { name: "The same face in smaller sizes" });
    const places = async () =>
      Promise.all([faces.boundingBox(), page.getByRole("button", { name: "Shuffle" }).boundingBox()]);
    await faces.waitFor();
    assert.equal(await faces.locator("img").count(), 0);
    const before = await places();
    letGo();
    await faces.locator("img:visible").first().waitFor();
    assert.deepEqual(await places(), before);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  await nothingToComplain();
});
