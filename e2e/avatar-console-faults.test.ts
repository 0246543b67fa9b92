import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { Secret, TOTP } from "otpauth";
import { consoleJourney, readable, settled } from "./console-journey.ts";
import { twoColourPhoto } from "./pictures.ts";
import { routed, unrouted } from "./routed.ts";

test("the avatar console keeps what a person made, whatever happens around it", async (t) => {
  const journey = await consoleJourney(t);
  if (!journey) return;
  const { desk, context, page, step, go, press, askForCode, signIn, face } = journey;
  await signIn();
  const drawnFrom = page.getByLabel("Drawn from");

  await step("an address that leads nowhere is told in the frame", async () => {
    await page.goto(`${desk.consoleUrl}/editor/`);
    await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
    await page.goto(`${desk.consoleUrl}/nowhere`);
    await page.getByText("There is no such page").waitFor();
    await page.getByRole("link", { name: "To your face" }).click();
    await page.getByRole("heading", { level: 1, name: "Your face" }).waitFor();
  });

  await step("a colour of one's own can be typed, letter by letter", async () => {
    await go("Design");
    await page.getByRole("tab", { name: "Colours" }).click();
    const own = page.getByLabel(/a colour of your own/).first();
    await own.pressSequentially("#2f8a6d");
    await untilEqual(() => own.inputValue(), "#2f8a6d");
  });

  await step("an unsaved design survives a reload and a session that ends", async () => {
    await drawnFrom.fill("my own words");
    await page.reload();
    await drawnFrom.waitFor();
    await untilEqual(() => drawnFrom.inputValue(), "my own words");
    await context.clearCookies();
    // The page may have asked, and been refused, by itself: then the button lies beneath the dialog.
    await page.getByRole("button", { name: "Save", exact: true }).dispatchEvent("click");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByText("Your session has ended.").waitFor();
    await readable(page);
    const code = await askForCode("ada@example.org");
    await page.getByText("This server sends no mail.").waitFor();
    // As people copy it.
    await page.getByLabel("Code from the mail").fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await untilEqual(() => drawnFrom.inputValue(), "my own words");
    await press("Save");
    await page.getByText("Saved. All your confirmed addresses show this face now.").waitFor();
  });

  const drafts = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("frontdesk-draft:")));

  await step("a design that is saved is no draft any more, and can still be taken back", async () => {
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    assert.deepEqual(await drafts(), []);
    await press("Undo");
    await page.getByRole("button", { name: "Save", exact: true }).waitFor();
    assert.equal((await drafts()).length, 1);
    await press("Redo");
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    assert.deepEqual(await drafts(), []);
  });

  await step("who undoes or redoes all there is by keyboard keeps the place", async () => {
    for (const name of ["Undo", "Redo"]) {
      const button = page.getByRole("button", { name, exact: true });
      await button.focus();
      while ((await button.getAttribute("aria-disabled")) !== "true") await page.keyboard.press("Enter");
      assert.equal(await button.evaluate((each) => each === document.activeElement), true, name);
    }
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
  });

  await step("a design asks before it takes the place of one that was saved on another device", async () => {
    await drawnFrom.fill("begun here");
    await desk.personWith("ada@example.org", "bottts");
    await press("Save");
    const question = page.getByRole("dialog", { name: "Replace what was saved elsewhere?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    const there = await face();
    await press("Save");
    await question.getByRole("button", { name: "Replace it" }).click();
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    assert.notDeepEqual(await face(), there);
    // Nobody else has saved since.
    await drawnFrom.fill("my own words");
    await press("Save");
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
  });

  await step("what is saved on another device in the very moment of saving is asked about too", async () => {
    await drawnFrom.fill("in the same moment");
    const writes: unknown[] = [];
    await routed(page, "**/me/avatar", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const theirs = { data: { collection: "bottts", seed: "theirs" }, headers: { origin: desk.consoleUrl } };
      if (writes.length === 0) await page.request.post(`${desk.consoleUrl}/me/avatar`, theirs);
      const response = await route.fetch();
      writes.push(response.status());
      await route.fulfill({ response });
    });
    await press("Save");
    const question = page.getByRole("dialog", { name: "Replace what was saved elsewhere?" });
    await question.getByRole("button", { name: "Replace it" }).click();
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    assert.deepEqual(writes, [412, 200]);
    await unrouted(page, "**/me/avatar");
    await drawnFrom.fill("my own words");
    await press("Save");
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
  });

  await step("what was saved on another device can be taken, or known and replaced", async () => {
    const elsewhere = page.getByRole("alert").filter({ hasText: "Your face was changed elsewhere" });
    const learns = async () => {
      await press("Save");
      const question = page.getByRole("dialog", { name: "Replace what was saved elsewhere?" });
      await question.getByRole("button", { name: "Cancel" }).click();
      await elsewhere.waitFor();
    };
    await drawnFrom.fill("begun here");
    await desk.personWith("ada@example.org", "bottts");
    await learns();
    await settled(page);
    await readable(page);
    await press("Take theirs");
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    assert.deepEqual(await drafts(), []);
    await drawnFrom.fill("my own words");
    await desk.personWith("ada@example.org", "personas");
    await learns();
    await press("Keep mine");
    await elsewhere.waitFor({ state: "detached" });
    await press("Save");
    await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    await drawnFrom.fill("not wanted after all");
    await press("Discard changes");
    await untilEqual(() => drawnFrom.inputValue(), "my own words");
    assert.deepEqual(await drafts(), []);
  });

  await step("a picture asks before it takes the place of a design", async () => {
    await go("Upload a picture");
    await page.locator("input[type=file]").setInputFiles({
      name: "photo.png",
      mimeType: "image/png",
      buffer: await twoColourPhoto(),
    });
    await press("Use this picture");
    const question = page.getByRole("dialog", { name: "Replace your design?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await press("Use this picture");
    await question.getByRole("button", { name: "Replace it" }).click();
    await page.getByText("Saved. All your confirmed addresses show this picture now.").waitFor();
    await go("Design");
    await untilEqual(() => drawnFrom.inputValue(), "my own words");
    assert.equal((await drafts()).length, 1);
  });

  await step("recovery codes are left by no way without a question", async () => {
    await go("Account and security");
    await press("Turn it on");
    const key = await page.getByText(/^[A-Z2-7]{16,}$/).textContent();
    const phone = new TOTP({ secret: Secret.fromBase32(key ?? "") });
    await page.getByLabel("Code from the app").fill(phone.generate());
    await press("Turn it on");
    const codes = page.getByRole("list", { name: "Recovery codes" });
    await codes.waitFor();
    const question = page.getByRole("dialog", { name: "Leave without the recovery codes?" });
    const stay = async () => {
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      assert.equal(new URL(page.url()).pathname, "/security");
      await codes.waitFor();
    };
    await page.goBack();
    await stay();
    await press("Sign out");
    await stay();
    await press("Sign out everywhere");
    await stay();
    const recovery = await codes.getByRole("listitem").first().textContent();
    await press("I have kept them");
    await press("Turn it off");
    await page.getByLabel("Authenticator or recovery code").fill(recovery ?? "");
    await press("Turn it off");
    await page.getByText("Two-step sign-in is off.").waitFor();
  });

  await step("a server that is away is told; pages and pictures come back by themselves", async () => {
    await go("Your face");
    await desk.stop();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "E-mail addresses" })
      .click();
    await page.getByText("The server does not answer.").waitFor();
    await desk.start();
    await page.getByRole("heading", { level: 1, name: "E-mail addresses" }).waitFor();
    await page.getByText("The server does not answer.").waitFor({ state: "detached" });
    await go("Your face");
    const face = page.getByRole("img", { name: "Your face as others see it" });
    await face.waitFor();
    assert.ok(
      await face.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth > 0)),
    );
  });

  await step("a page's help leads to its part of the guide", async () => {
    for (const name of ["Use it", "Account and security"]) {
      await go(name);
      const link = page.getByRole("link", { name: /^Help with / });
      const place = (await link.getAttribute("href"))?.split("#")[1] ?? "";
      await link.click();
      await page.waitForFunction((id) => document.activeElement?.id === id, place);
    }
    await go("Your face");
  });

  await step("signing out with a session that has ended signs out, and leaves nothing behind", async () => {
    await go("Design");
    await drawnFrom.fill("words of nobody else");
    await until("they are kept", async () => (await drafts()).length > 0);
    await go("Your face");
    await settled(page);
    const cookies = await context.cookies();
    await context.clearCookies();
    await press("Sign out");
    await page.getByRole("dialog").getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in", exact: true }).waitFor();
    assert.equal(await page.getByRole("dialog", { name: "Sign in again" }).count(), 0);
    assert.deepEqual(await drafts(), []);
    await context.addCookies(cookies);
    await page.goto(desk.consoleUrl);
    await page.getByRole("heading", { level: 1, name: "Your face" }).waitFor();
  });

  await step("a face that was saved on another device meanwhile is not removed unseen", async () => {
    await page.getByText("Your picture", { exact: true }).waitFor();
    await page.evaluate(() =>
      fetch("/me/avatar", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ seed: "from the phone" }),
      }),
    );
    await press("Remove");
    await press("Remove it");
    await page.getByText("Your face was changed elsewhere meanwhile.").waitFor();
    await page.getByText(/^Your design · /).waitFor();
  });

  await step("who signs in where another's session has ended sees nothing of them", async () => {
    await page.getByText(/^Your design · /).waitFor();
    await context.clearCookies();
    await press("Remove");
    await press("Remove it");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    await routed(page, "**/me/avatar", async (route) => {
      isAsked();
      await held;
      await route.continue();
    });
    await page.getByLabel("Code from the mail").fill(await askForCode("grace@example.org"));
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await asked;
    await page.getByText("grace@example.org").first().waitFor();
    assert.equal(await page.getByText(/^Your design · /).count(), 0);
    answer();
    await page.getByText("Drawn from your address", { exact: true }).waitFor();
  });
});
