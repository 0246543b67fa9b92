import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { accessibilityProblems } from "@frontdesk/testkit/accessibility";
import { startChromium } from "@frontdesk/testkit/chromium";
import { Secret, TOTP } from "otpauth";
import type { Locator, Page } from "playwright-core";
import { avatarDesk } from "./avatar-desk.ts";
import { blinkingGif, colourAt, keepPicture, twoColourPhoto } from "./pictures.ts";

const ADA = "ada@example.org";
const SECOND = "ada@engine.example";
const hashOf = (email: string) => createHash("sha256").update(email).digest("hex");

/** One person's way through the whole console, in a real browser, through the real service. */
test("the avatar console", async (t) => {
  const desk = await avatarDesk(t, { AVATAR_ADMINS: ADA });
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints = listen(page);
  let broken = false;
  /** One step of the way; where one fails, those behind it cannot be gone. */
  const step = async (name: string, take: () => Promise<void>) => {
    if (broken) return;
    broken = true;
    await t.test(name, async () => {
      await take();
      broken = false;
    });
  };
  const go = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
  const told = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const face = async (email = ADA, query = "s=64") => {
    const response = await fetch(`${desk.mediaUrl}/${hashOf(email)}?${query}`);
    return { type: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
  };

  await step("a person signs in with the code from the mail, and not with another", async () => {
    await page.goto(`${desk.consoleUrl}/emails`);
    await readable(page);
    await page.getByLabel("E-mail address").fill(ADA);
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").waitFor();
    const code = desk.newestCode(ADA);
    await page.getByLabel("Code from the mail").fill(code === "111111" ? "222222" : "111111");
    await press("Sign in");
    await told(/That code is not right/);
    await readable(page);
    await page.getByLabel("Code from the mail").fill(code);
    await press("Sign in");
    await page.getByRole("heading", { level: 1, name: "E-mail addresses" }).waitFor();
    assert.deepEqual(
      (await context.cookies()).map(({ name, httpOnly }) => [name, httpOnly]),
      [["avatar_session", true]],
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
    await changes(preview, () => press("Shuffle"));
    await page.getByRole("tab", { name: "Top" }).click();
    await page.waitForFunction(() => document.querySelectorAll("[role=tabpanel] img").length > 20);
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
    assert.equal((await fetch(copied)).headers.get("content-type"), "image/png");
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

  await step("a second address is added and confirmed, and both show the same bytes", async () => {
    await go("E-mail addresses");
    await page.getByLabel("E-mail address").fill(SECOND);
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").waitFor();
    await readable(page);
    assert.notDeepEqual((await face(SECOND)).bytes, (await face()).bytes);
    await page.getByLabel("Code from the mail").fill(desk.newestCode(SECOND));
    await press("Confirm");
    await told(`${SECOND} is confirmed and shows your face now.`);
    assert.deepEqual((await face(SECOND)).bytes, (await face()).bytes);
    await closeMessages(page);
    await keepPicture(page, "avatar-emails");
  });

  await step("the second address becomes the primary one, and the first is removed", async () => {
    await press(`Make ${SECOND} primary`);
    await told(`${SECOND} is your primary address now.`);
    await press(`Remove ${ADA}`);
    await page.getByRole("dialog").getByText("It no longer shows your face").waitFor();
    await readable(page);
    await press("Remove it");
    await told(`${ADA} is removed.`);
    assert.notDeepEqual((await face(SECOND)).bytes, (await face(ADA)).bytes);
    await page.getByLabel("E-mail address").fill(ADA);
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").fill(desk.newestCode(ADA));
    await press("Confirm");
    await told(`${ADA} is confirmed and shows your face now.`);
    await press(`Make ${ADA} primary`);
    await told(`${ADA} is your primary address now.`);
  });

  let phone: TOTP | undefined;
  let recoveryCode = "";
  await step("two-step sign-in is turned on with the key that the QR code holds", async () => {
    await go("Account and security");
    await press("Turn it on");
    const key = await page.getByText(/^[A-Z2-7]{16,}$/).textContent();
    phone = new TOTP({ secret: Secret.fromBase32(key ?? "") });
    await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await readable(page);
    // The code of the step before, which still counts: the one of this step is for signing in.
    await page.getByLabel("Code from the app").fill(phone.generate({ timestamp: Date.now() - 30_000 }));
    await press("Turn it on");
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    assert.equal(await codes.count(), 10);
    recoveryCode = (await codes.first().textContent()) ?? "";
    await readable(page);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download", exact: true }).click();
    assert.equal((await download).suggestedFilename(), "frontdesk-recovery-codes.txt");
    await press("I have kept them");
    await told("10 recovery codes are left.");
  });

  await step("signing out ends the session, and signing in asks for the second step", async () => {
    const [cookie] = await context.cookies();
    await press("Sign out");
    await page.getByLabel("E-mail address").fill(ADA);
    const stale = await fetch(`${desk.consoleUrl}/me`, {
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    assert.equal(stale.status, 401, "the old cookie opens nothing");
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").waitFor();
    await page.getByLabel("Code from the mail").fill(desk.newestCode(ADA));
    await press("Sign in");
    await page.getByLabel("Authenticator or recovery code").waitFor();
    await readable(page);
    await page.getByLabel("Authenticator or recovery code").fill("000000");
    await press("Sign in");
    await told(/That authenticator code is not right/);
    await page.getByLabel("Authenticator or recovery code").fill(phone?.generate() ?? "");
    await press("Sign in");
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
  });

  await step(
    "other devices are seen and signed out; the second step is turned off with a recovery code",
    async () => {
      await go("Account and security");
      await page.getByRole("table", { name: "Where you are signed in" }).getByText("This one").waitFor();
      await keepPicture(page, "avatar-security");
      await press("Turn it off");
      await page.getByLabel("Authenticator or recovery code").fill(recoveryCode);
      await press("Turn it off");
      await told("Two-step sign-in is off.");
    },
  );

  await step("the data can be taken away", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download my data" }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), new RegExp(SECOND));
  });

  await step("the snippets lead to the face", async () => {
    await go("Use it");
    await page.getByLabel("Your address").selectOption(SECOND);
    await press("Copy HTML");
    const html = await page.evaluate(() => navigator.clipboard.readText());
    const src = /src="([^"]+)"/.exec(html)?.[1] ?? "";
    assert.ok(src.startsWith(`${desk.mediaUrl}/${hashOf(SECOND)}?s=`), html);
    assert.equal((await fetch(src)).status, 200);
    assert.match(html, /alt="Ada Lovelace"/);
  });

  await step("an administrator sees the figures and names another", async () => {
    await go("Administration");
    await page.getByText("Accounts with several addresses").waitFor();
    await page.getByLabel("Name another administrator").fill("nobody@example.org");
    await press("Make administrator");
    await told(/Nobody has confirmed that address yet/);
    await keepPicture(page, "avatar-admin");
  });

  await step("every page can be read by all: light and dark, wide and on a phone", async () => {
    const pages = {
      "/": "Hello, Ada",
      "/editor": "Design",
      "/upload": "Upload a picture",
      "/use": "Use it",
      "/emails": "E-mail addresses",
      "/security": "Account and security",
      "/admin": "Administration",
    };
    for (const [path, name] of Object.entries(pages)) {
      await page.goto(`${desk.consoleUrl}${path}`);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.waitForLoadState("networkidle");
      await readable(page);
      await page.setViewportSize({ width: 360, height: 740 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, 360, `${path} does not scroll sideways on a phone`);
      assert.deepEqual(await accessibilityProblems(page), [], path);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  await step("on a phone, in the dark: the menu, the editor, and the way out", async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${desk.consoleUrl}/`);
    await press("Open the menu");
    await readable(page);
    await go("Design");
    await page
      .getByRole("tab", { name: "Hair", exact: true })
      .or(page.getByRole("tab", { name: "Top" }))
      .click();
    await page.waitForFunction(() => document.querySelectorAll("[role=tabpanel] img").length > 10);
    await page.getByRole("tablist").scrollIntoViewIfNeeded();
    await keepPicture(page, "avatar-phone");
    await press("Open the menu");
    await go("Account and security");
    await press("Delete my account");
    await page.getByLabel("Your primary address").fill(ADA);
    await readable(page);
    await press("Delete it for good");
    await page.getByLabel("E-mail address").waitFor();
    assert.equal((await (await fetch(`${desk.mediaUrl}/${hashOf(ADA)}.json`)).json()).has_avatar, false);
  });

  assert.deepEqual(
    complaints,
    [],
    "the browser had nothing to complain of: no script error, no refused resource",
  );
});

/** What the browser itself has to say; refusals that the test asks for are none of it. */
function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text()))
      complaints.push(message.text());
  });
  return complaints;
}

/** Axe has nothing against the page, in the light and in the dark. */
async function readable(page: Page): Promise<void> {
  const now = await page.evaluate(() =>
    matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  );
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityProblems(page), [], `${page.url()} in the ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: now });
}

/** Does something and answers with the picture's new address once it has one. */
async function changes(picture: Locator, act: () => Promise<unknown>): Promise<string> {
  const before = await picture.getAttribute("src");
  await act();
  const image = await picture.elementHandle();
  await picture
    .page()
    .waitForFunction(([img, src]) => img?.getAttribute("src") !== src, [image, before] as const);
  return (await picture.getAttribute("src")) ?? "";
}

async function closeMessages(page: Page): Promise<void> {
  const close = page.getByRole("button", { name: "Close this message" });
  while (await close.count()) await close.first().click();
}
