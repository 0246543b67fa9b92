import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_LIMIT_MS } from "@frontdesk/testkit/chromium";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { untilEqual } from "@frontdesk/testkit/until";
import type { CDPSession, Page } from "playwright-core";
import { ADA, changes, consoleJourney, fits, readable, settled } from "./console-journey.ts";
import { focused, looksFocused, tabTo } from "./keyboard.ts";
import { colourAt, twoColourPhoto } from "./pictures.ts";

const SQUARE = /The square that becomes your face/;

test("the avatar console: by keyboard alone, by mouse and by finger", async (t) => {
  const journey = await consoleJourney(t);
  if (!journey) return;
  const { desk, context, page, step, go, press, told, face, nothingToComplain } = journey;
  const folder = temporaryHome(t);
  const photo = join(folder, "me.jpg");
  writeFileSync(photo, await twoColourPhoto());
  const encodings = new Map<string, string>();
  page.on("response", (response) => {
    const name = /\.(js|css)$/.exec(new URL(response.url()).pathname);
    if (name) encodings.set(response.url(), response.headers()["content-encoding"] ?? "none");
  });
  const finger = await context.newCDPSession(page);
  const type = (text: string) => page.keyboard.type(text);
  const enter = () => page.keyboard.press("Enter");
  const squareMiddle = async () => {
    const box = await page.getByRole("application", { name: SQUARE }).boundingBox();
    assert.ok(box);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const zoom = async () =>
    Number(await page.getByRole("slider", { name: "Zoom" }).getAttribute("aria-valuenow"));

  await step("who has no mouse signs in, and says a name", async () => {
    await page.goto(desk.consoleUrl);
    await page.getByLabel("E-mail address").waitFor();
    await untilEqual(async () => (await focused(page)).name, "E-mail address", "one can type at once");
    await type(ADA);
    await enter();
    await page.getByLabel("Code from the mail").waitFor();
    await untilEqual(async () => (await focused(page)).name, "Code from the mail");
    await type(desk.newestCode(ADA));
    await enter();
    await page.getByRole("heading", { level: 1, name: "Your face" }).waitFor();
    await page.keyboard.press("Tab");
    if ((await focused(page)).name !== "Skip to the page") await tabTo(page, "Skip to the page");
    await looksFocused(page);
    await enter();
    await tabTo(page, "First name");
    await type("Ada");
    await tabTo(page, "Save my name");
    await enter();
    await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
    const sent = [...encodings.values()];
    assert.ok(sent.length > 3);
    assert.ok(sent.filter((encoding) => encoding === "br").length >= 3, "what is large comes compressed");
  });

  await step("designs a face, and saves it", async () => {
    const before = await face();
    await tabTo(page, "Design");
    await enter();
    await page.getByRole("heading", { level: 1, name: "Design" }).waitFor();
    await untilEqual(
      async () => (await focused(page)).name,
      "Design",
      "the new page is read out by its heading",
    );
    await tabTo(page, "Personas");
    const preview = page.getByAltText("Your design");
    await preview.waitFor();
    await changes(preview, () => page.keyboard.press("ArrowRight"));
    await tabTo(page, "Drawn from");
    await page.keyboard.press("Control+a");
    await changes(preview, () => type("Countess"));
    await tabTo(page, "Save", { most: 60 });
    await enter();
    await told("Saved. All your confirmed addresses show this face now.");
    assert.notDeepEqual((await face()).bytes, before.bytes);
  });

  await step(
    "a question has the focus while it is asked; Escape is no, and the focus goes back",
    async () => {
      await tabTo(page, "Your face", { most: 60 });
      await enter();
      await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
      await tabTo(page, "Remove");
      await enter();
      const dialog = page.getByRole("dialog", { name: "Remove your face?" });
      await dialog.waitFor();
      await untilEqual(
        async () => (await focused(page)).name,
        "Cancel",
        "the answer that does nothing is the nearest",
      );
      for (let i = 0; i < 6; i++) {
        await page.keyboard.press("Tab");
        assert.ok(
          await dialog.evaluate((it) => it.contains(document.activeElement)),
          "the focus stays inside",
        );
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.waitForFunction(() => document.activeElement?.textContent === "Remove");
      await untilEqual(async () => (await focused(page)).name, "Remove");
      await enter();
      await dialog.waitFor();
      await tabTo(page, "Remove it");
      await enter();
      await told("Removed. Your addresses show their drawn faces again.");
    },
  );

  await step("a file is dropped, and beside the place for it nothing happens", async () => {
    await go("Upload a picture");
    const place = page.getByText("You can also drop it here").locator("xpath=..");
    const box = await place.boundingBox();
    assert.ok(box);
    await drag(finger, photo, [
      ["dragEnter", box.x + 40, box.y + box.height + 60],
      ["drop", box.x + 40, box.y + box.height + 60],
    ]);
    assert.equal(new URL(page.url()).pathname, "/upload");
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await drag(finger, photo, [
      ["dragEnter", x, y],
      ["dragOver", x, y],
    ]);
    await page.locator("[data-over]").waitFor();
    await drag(finger, photo, [["drop", x, y]]);
    await page.getByRole("application", { name: SQUARE }).waitFor();
    await page.getByAltText("The chosen square").waitFor();
  });

  await step("the wheel zooms to where it is turned, and does not scroll the page away", async () => {
    const { x, y } = await squareMiddle();
    await page.mouse.move(x - 100, y);
    await changes(page.getByAltText("The chosen square"), () => page.mouse.wheel(0, -400));
    assert.ok((await zoom()) > 1.5, `zoomed to ${await zoom()}`);
    assert.equal(await page.evaluate(() => scrollY), 0);
    const zoomed = await zoom();
    await changes(page.getByAltText("The chosen square"), () => page.mouse.wheel(0, 200));
    assert.ok((await zoom()) < zoomed);
  });

  await step("on a phone two fingers zoom, and one moves the picture", async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    await finger.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.goto(`${desk.consoleUrl}/upload`);
    await page.locator("input[type=file]").setInputFiles(photo);
    const chosen = page.getByAltText("The chosen square");
    await chosen.waitFor();
    await settled(page);
    await fits(page);
    await readable(page);
    const { x, y } = await squareMiddle();
    const before = await zoom();
    await changes(chosen, () =>
      touch(finger, [
        [
          [x - 20, y],
          [x + 20, y],
        ],
        [
          [x - 45, y],
          [x + 45, y],
        ],
        [
          [x - 80, y],
          [x + 80, y],
        ],
      ]),
    );
    assert.ok((await zoom()) > before * 1.5, `from ${before} to ${await zoom()}`);
    await changes(chosen, () =>
      touch(finger, [[[x - 60, y]], [[x, y]], [[x + 60, y]], [[x + 120, y]], [[x + 300, y]]]),
    );
    await press("Use this picture");
    await told("Saved. All your confirmed addresses show this picture now.");
    const { bytes } = await face(ADA, "s=512");
    assert.deepEqual(
      [await colourAt(bytes, 0.05), await colourAt(bytes, 0.5), await colourAt(bytes, 0.95)],
      ["red", "red", "red"],
      "the left of the photo, large",
    );
    await finger.send("Emulation.setTouchEmulationEnabled", { enabled: false });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await step("signing out everywhere ends the session in another browser too", async () => {
    const other = await signedInElsewhere(context.browser(), desk);
    await go("Account and security");
    const open = () => page.getByRole("button", { name: "Sign out everywhere", exact: true }).first().click();
    await open();
    await press("Cancel");
    await other.reload();
    await other.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
    await open();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere", exact: true }).click();
    await page.getByLabel("E-mail address").waitFor();
    await other
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Account and security" })
      .click();
    await other.getByLabel("E-mail address").waitFor();
    const seen = other.getByText("Ada").filter({ visible: true });
    assert.equal(await seen.count(), 0, "nothing of the person is seen on the page");
    await other.getByText("Your session has ended.").waitFor();
  });
  await nothingToComplain();
});

/** The same person at another machine. */
async function signedInElsewhere(
  browser: ReturnType<ReturnType<Page["context"]>["browser"]>,
  desk: { consoleUrl: string; newestCode(email: string): string },
): Promise<Page> {
  const page = await (await browser?.newContext({ reducedMotion: "reduce" }))?.newPage();
  assert.ok(page);
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  await page.goto(desk.consoleUrl);
  await page.getByLabel("E-mail address").fill(ADA);
  await page.keyboard.press("Enter");
  await page.getByLabel("Code from the mail").waitFor();
  await page.getByLabel("Code from the mail").fill(desk.newestCode(ADA));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
  return page;
}

type DragStep = [type: "dragEnter" | "dragOver" | "drop", x: number, y: number];

/** Drags a file from the desktop, as the browser itself sees it. */
async function drag(session: CDPSession, file: string, steps: readonly DragStep[]): Promise<void> {
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const [type, x, y] of steps) await session.send("Input.dispatchDragEvent", { type, x, y, data });
}

type Places = ReadonlyArray<readonly [x: number, y: number]>;

/** Puts fingers down, moves them from place to place, and lifts them. */
async function touch(session: CDPSession, places: readonly Places[]): Promise<void> {
  const points = (at: Places) => at.map(([x, y], id) => ({ x, y, id }));
  const [first = [], ...others] = places;
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(first) });
  for (const at of others)
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(at) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}
