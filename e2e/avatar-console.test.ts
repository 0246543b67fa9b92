import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { checkedFetch } from "../services/avatar/test/openapi-check.ts";
import { ADA, changes, closeMessages, consoleJourney, hashOf, readable } from "./console-journey.ts";
import { blinkingGif, colourAt, keepPicture, twoColourPhoto } from "./pictures.ts";
import { heldWrites } from "./routed.ts";
import { visionEndpoint } from "./vision-endpoint.ts";

test("the avatar console: a face is designed, uploaded and used", async (t) => {
  const seen = { face: true, options: { topVariant: ["bob"], mouthVariant: ["smile"] } };
  const vision = await visionEndpoint(t, [{ face: false }, seen, seen]);
  const journey = await consoleJourney(t, { AVATAR_VISION_URL: vision });
  if (!journey) return;
  const { desk, context, page, step, go, press, told, face, askForCode, nothingToComplain } = journey;

  await step("a person signs in with the code from the mail, and not with another", async () => {
    await page.goto(`${desk.consoleUrl}/emails`);
    await readable(page);
    const code = await askForCode(ADA);
    await page.getByLabel("Code from the mail").fill(code === "111111" ? "222222" : "111111");
    await press("Sign in");
    await told(/That code is not right/);
    await readable(page);
    await page.getByLabel("Code from the mail").fill(code);
    await press("Sign in");
    await page.getByRole("heading", { level: 1, name: "E-mail addresses" }).waitFor();
    assert.deepEqual(
      (await context.cookies()).map(({ name, httpOnly }) => [name, httpOnly]),
      [
        ["avatar_session", true],
        ["avatar_session_device", true],
      ],
    );
  });

  await step("who has no name is asked for it once", async () => {
    await go("Your face");
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Lovelace");
    await press("Save my name");
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
    assert.equal(await page.getByLabel("First name").count(), 0);
  });

  await step("a design is drawn live, taken back and brought again by keyboard, and saved", async () => {
    const before = await face();
    await go("Design");
    const preview = page.getByAltText("Your design");
    await page.getByRole("radio", { name: "Avataaars" }).check({ force: true });
    await page.getByRole("tab", { name: "Top" }).click();
    const drawn = await changes(preview, () =>
      page.getByRole("radio", { name: "Bob", exact: true }).check({ force: true }),
    );
    await changes(preview, () => page.keyboard.press("Control+z"));
    const again = await changes(preview, () => page.keyboard.press("Control+Shift+z"));
    assert.equal(again, drawn, "what is brought back is what was taken back");
    await page.getByRole("tab", { name: "Colours" }).click();
    await changes(preview, () =>
      page
        .getByRole("group", { name: /^Hair colo/ })
        .getByRole("radio")
        .nth(3)
        .check({ force: true }),
    );
    await page.getByRole("tab", { name: "Clothes graphic" }).click();
    const graphics = page.locator("[role=tabpanel] img");
    await until("ten graphics are drawn", async () => (await graphics.count()) === 10);
    const pictures = await graphics.evaluateAll((all) => all.map((image) => image.getAttribute("src")));
    assert.equal(new Set(pictures).size, 10, "each shows what it puts on the shirt");
    await changes(preview, () => press("Shuffle"));
    await page.getByLabel("Drawn from").fill("Countess of Lovelace");
    for (const [part, drawing] of [
      ["Eyes", "Default"],
      ["Eyebrows", "Default"],
      ["Mouth", "Smile"],
      ["Top", "Bob"],
    ] as const) {
      await page.getByRole("tab", { name: part, exact: true }).click();
      await page.getByRole("radio", { name: drawing, exact: true }).check({ force: true });
    }
    await page.waitForFunction(() => document.querySelectorAll("[role=tabpanel] img").length > 20);
    await page.waitForLoadState("networkidle");
    await keepPicture(page, "avatar-editor");
    assert.deepEqual((await face()).bytes, before.bytes, "nothing is shown to others before it is saved");
    await press("Save");
    await told("Saved. All your confirmed addresses show this face now.");
    const saved = await face();
    assert.notDeepEqual(saved.bytes, before.bytes);
    assert.equal(saved.type, "image/png");
  });

  await step("the home page shows the saved face and its address", async () => {
    await go("Your face");
    await told("Your design · Avataaars");
    const shown = page.getByAltText("Your face as others see it");
    await shown.evaluate((image: HTMLImageElement) => image.decode());
    assert.match(
      (await shown.getAttribute("src")) ?? "",
      new RegExp(`^${desk.mediaUrl}/${hashOf(ADA)}\\?s=512&v=\\d+$`),
    );
    await press("Copy the address of your face");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal((await checkedFetch(copied)).headers.get("content-type"), "image/png");
    await closeMessages(page);
    await keepPicture(page, "avatar-home");
  });

  await step("a photo is cropped where the person drags it, and only the square is sent", async () => {
    await go("Upload a picture");
    await page.locator("input[type=file]").setInputFiles({
      name: "me.jpg",
      mimeType: "image/jpeg",
      buffer: await twoColourPhoto(),
    });
    const square = page.getByRole("application", { name: /The square that becomes your face/ });
    const box = await square.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 600, box.y + box.height / 2, { steps: 6 });
    await page.mouse.up();
    await readable(page);
    await press("Use this picture");
    await press("Replace it");
    await told("Saved. All your confirmed addresses show this picture now.");
    const { bytes, type } = await face(ADA, "s=512");
    assert.equal(type, "image/png");
    assert.deepEqual(
      [await colourAt(bytes, 0.1), await colourAt(bytes, 0.65), await colourAt(bytes, 0.9)],
      ["red", "red", "blue"],
      "the left edge of the photo, not its middle",
    );
    await told("Your picture");
  });

  await step("a crop is moved with the arrow keys and the zoom slider too", async () => {
    await go("Upload a picture");
    await page.locator("input[type=file]").setInputFiles({
      name: "me.jpg",
      mimeType: "image/jpeg",
      buffer: await twoColourPhoto(),
    });
    const chosen = page.getByAltText("The chosen square");
    await page.getByRole("slider", { name: "Zoom" }).focus();
    await changes(chosen, async () => {
      for (let step = 0; step < 30; step++) await page.keyboard.press("ArrowRight");
    });
    await page.getByRole("application", { name: /The square that becomes your face/ }).focus();
    await changes(chosen, async () => {
      for (let step = 0; step < 80; step++) await page.keyboard.press("ArrowLeft");
    });
    await press("Use this picture");
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
    await told("Saved. All your confirmed addresses show this picture now.");
    const { bytes } = await face(ADA, "s=512");
    assert.equal(
      await colourAt(bytes, 0.05),
      await colourAt(bytes, 0.95),
      "zoomed in and moved: one colour is left",
    );
  });

  await step("a GIF is kept whole, and what is no picture is told so", async () => {
    await go("Upload a picture");
    const input = page.locator("input[type=file]");
    await input.setInputFiles({ name: "x.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
    await told(/could not be read as a picture/);
    const gif = await blinkingGif();
    await input.setInputFiles({ name: "blink.gif", mimeType: "image/gif", buffer: gif });
    await press("Use this picture");
    await told("Saved. All your confirmed addresses show this picture now.");
    assert.deepEqual(await face(), { type: "image/gif", bytes: gif });
  });

  await step("a photo becomes a suggestion in the editor, and nothing is saved by it", async () => {
    const before = await face();
    const show = async () =>
      page.locator("input[type=file]").setInputFiles({
        name: "me.jpg",
        mimeType: "image/jpeg",
        buffer: await twoColourPhoto(),
      });
    await go("From a photo");
    await readable(page);
    await show();
    await told(/No face was found in that photo/);
    await show();
    await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
    await page.getByRole("tab", { name: "Top" }).click();
    await untilEqual(() => page.getByRole("radio", { name: "Bob", exact: true }).isChecked(), true);
    assert.deepEqual(await face(), before);
  });

  await step(
    "a suggestion that comes late does not take the place of what is designed meanwhile",
    async () => {
      await press("Save");
      await press("Replace it");
      await told("Saved. All your confirmed addresses show this face now.");
      await closeMessages(page);
      await go("From a photo");
      const photo = await heldWrites(page, "**/from-photo");
      await page.locator("input[type=file]").setInputFiles({
        name: "me.jpg",
        mimeType: "image/jpeg",
        buffer: await twoColourPhoto(),
      });
      await photo.sent();
      await go("Design");
      const drawnFrom = page.getByLabel("Drawn from");
      await drawnFrom.fill("my very own words");
      await photo.letGo();
      await told(/The suggestion from your photo is ready/);
      assert.equal(await drawnFrom.inputValue(), "my very own words");
      await press("Save");
      await told("Saved. All your confirmed addresses show this face now.");
      await press("Use it");
      await untilEqual(async () => (await drawnFrom.inputValue()) === "my very own words", false);
      assert.equal(await page.getByText("was changed elsewhere").count(), 0);
      await press("Undo");
      await untilEqual(() => drawnFrom.inputValue(), "my very own words");
      await page.getByRole("button", { name: "Saved", exact: true }).waitFor();
    },
  );

  await step("the snippets lead to the face", async () => {
    await go("Use it");
    await page.getByLabel("Your address").selectOption(ADA);
    await press("Copy HTML");
    const html = await page.evaluate(() => navigator.clipboard.readText());
    const src = /src="([^"]+)"/.exec(html)?.[1] ?? "";
    assert.ok(src.startsWith(`${desk.mediaUrl}/${hashOf(ADA)}?s=`), html);
    assert.equal((await checkedFetch(src)).status, 200);
    assert.match(html, /alt="Ada Lovelace"/);
  });
  await nothingToComplain();
});
