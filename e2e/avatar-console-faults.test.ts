import assert from "node:assert/strict";
import { test } from "node:test";
import { consoleJourney, readable } from "./console-journey.ts";

test("the avatar console keeps what a person made, whatever happens around it", async (t) => {
  const journey = await consoleJourney(t);
  if (!journey) return;
  const { desk, context, page, step, go, press, askForCode, signIn } = journey;
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
    assert.equal(await own.inputValue(), "#2f8a6d");
  });

  await step("an unsaved design survives a reload and a session that ends", async () => {
    await drawnFrom.fill("my own words");
    await page.reload();
    await drawnFrom.waitFor();
    assert.equal(await drawnFrom.inputValue(), "my own words");
    await context.clearCookies();
    await press("Save");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByText("Your session has ended.").waitFor();
    await readable(page);
    const code = await askForCode("ada@example.org");
    await page.getByText("This server sends no mail.").waitFor();
    // As people copy it.
    await page.getByLabel("Code from the mail").fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await drawnFrom.inputValue(), "my own words");
    await press("Save");
    await page.getByText("Saved. All your confirmed addresses show this face now.").waitFor();
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
});
