import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { Secret, TOTP } from "otpauth";
import { checkedFetch } from "../services/avatar/test/openapi-check.ts";
import { ADA, closeMessages, consoleJourney, fits, hashOf, readable, settled } from "./console-journey.ts";
import { keepPicture } from "./pictures.ts";

/** Longer than a phone is wide. */
const SECOND = "ada.countess.of.lovelace@analytical-department.engine.example";
const GRACE = "grace@example.org";

test("the avatar console: an account is kept, secured, administered and deleted", async (t) => {
  const journey = await consoleJourney(t, {
    AVATAR_ADMINS: ADA,
    // Nobody looks at a photo here; the page for it is looked at.
    AVATAR_VISION_URL: "http://127.0.0.1:1/v1",
  });
  if (!journey) return;
  const { desk, context, page, step, go, press, told, face, askForCode, nothingToComplain } = journey;

  await step("a person signs in and saves a face", async () => {
    await journey.signIn();
    await page.getByLabel("First name").fill("Ada");
    await page.getByLabel("Last name").fill("Lovelace");
    await press("Save my name");
    await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
    await go("Design");
    await page.getByLabel("Drawn from").fill("Ada Lovelace");
    await press("Save");
    await told("Saved. All your confirmed addresses show this face now.");
  });

  await step("a second address is added and confirmed, and both show the same bytes", async () => {
    await go("E-mail addresses");
    const code = await askForCode(SECOND);
    await readable(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await fits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.notDeepEqual((await face(SECOND)).bytes, (await face()).bytes);
    await page.getByLabel("Code from the mail").fill(code);
    await press("Confirm");
    await told(`${SECOND} is confirmed and shows your face now.`);
    assert.deepEqual((await face(SECOND)).bytes, (await face()).bytes);
    await closeMessages(page);
    await keepPicture(page, "avatar-emails");
  });

  await step("the second address becomes the primary one, and the first is removed", async () => {
    await press(`Make primary: ${SECOND}`);
    await told(`${SECOND} is your primary address now.`);
    await press(`Remove ${ADA}`);
    await page.getByRole("dialog").getByText("It no longer shows your face").waitFor();
    await readable(page);
    await press("Remove it");
    await told(`${ADA} is removed.`);
    assert.notDeepEqual((await face(SECOND)).bytes, (await face(ADA)).bytes);
    await page.getByLabel("Code from the mail").fill(await askForCode(ADA));
    await press("Confirm");
    await told(`${ADA} is confirmed and shows your face now.`);
    await press(`Make primary: ${ADA}`);
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
    await page.getByLabel("Code from the app").fill(phone.generate());
    await press("Turn it on");
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    await untilEqual(() => codes.count(), 10);
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
    await page.getByLabel("E-mail address").waitFor();
    const stale = await checkedFetch(`${desk.consoleUrl}/me`, {
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    assert.equal(stale.status, 401, "the old cookie opens nothing");
    await page.getByLabel("Code from the mail").fill(await askForCode(ADA));
    await press("Sign in");
    await page.getByLabel("Authenticator or recovery code").waitFor();
    await readable(page);
    await page.getByLabel("Authenticator or recovery code").fill("000000");
    await press("Sign in");
    await told(/That authenticator code is not right/);
    // A code is good once, and one step ahead: this one is new, however soon it is asked for and however late it comes.
    const next = phone?.generate({ timestamp: Date.now() + 30_000 });
    await page.getByLabel("Authenticator or recovery code").fill(next ?? "");
    await press("Sign in");
    await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
  });

  await step("two-step sign-in is turned off with a recovery code", async () => {
    await go("Account and security");
    await press("Turn it off");
    await page.getByLabel("Authenticator or recovery code").fill(recoveryCode);
    await press("Turn it off");
    await told("Two-step sign-in is off.");
  });

  await step("another device is seen and signed out", async () => {
    const cookie = await desk.signInElsewhere(ADA, "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0");
    const statusThere = async () =>
      (await checkedFetch(`${desk.consoleUrl}/me`, { headers: { cookie } })).status;
    assert.equal(await statusThere(), 200);
    await page.reload();
    await page.getByRole("table", { name: "Where you are signed in" }).getByText("This one").waitFor();
    await press("Sign out Firefox on Linux");
    await told("That device is signed out.");
    assert.equal(await statusThere(), 401);
  });

  await step("the data can be taken away", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download my data" }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), new RegExp(SECOND));
  });

  await step(
    "an administrator sees the figures, names another, and takes the rights away again",
    async () => {
      const styles = ["avataaars", "avataaars", "avataaars", "personas", "bottts", "initials"];
      for (const [i, collection] of styles.entries())
        await desk.personWith(`person-${i}@example.org`, collection);
      const cookie = await desk.signInElsewhere(GRACE, "curl/8");
      await go("Administration");
      const figure = page
        .getByRole("term")
        .filter({ hasText: /^Accounts$/ })
        .locator("xpath=following-sibling::*");
      await untilEqual(() => figure.textContent(), String(styles.length + 2));
      const bars = page.getByRole("list", { name: "Accounts by style" }).getByRole("listitem");
      await untilEqual(() => bars.first().textContent(), "Avataaars3");
      const name = async (email: string) => {
        await page.getByLabel("Name another administrator").fill(email);
        await press("Make administrator");
      };
      await name("nobody@example.org");
      await told(/Nobody has confirmed that address yet/);
      const isAdmin = async () =>
        (await (await checkedFetch(`${desk.consoleUrl}/me`, { headers: { cookie } })).json()).is_admin;
      await name(GRACE);
      await told(`${GRACE} is an administrator now.`);
      assert.equal(await isAdmin(), true);
      await closeMessages(page);
      await keepPicture(page, "avatar-admin");
      await press(`Take away the rights of ${GRACE}`);
      await press("Take them away");
      await told(`${GRACE} is no longer an administrator.`);
      assert.equal(await isAdmin(), false);
    },
  );

  await step("every page can be read by all: light and dark, wide and on a phone", async () => {
    const pages = {
      "/": "Hello, Ada",
      "/editor": "Design",
      "/upload": "Upload a picture",
      "/photo": "From a photo",
      "/use": "Use it",
      "/emails": "E-mail addresses",
      "/security": "Account and security",
      "/admin": "Administration",
      "/help": "Help",
    };
    for (const [path, name] of Object.entries(pages)) {
      await page.goto(`${desk.consoleUrl}${path}`);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await settled(page);
        await readable(page);
        await fits(page);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      await fits(page);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
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
    await keepPicture(page, "avatar-phone", { scrolled: true });
    await press("Open the menu");
    await go("Account and security");
    await press("Delete my account");
    await page.getByLabel("Your primary address").fill(ADA);
    await readable(page);
    await press("Delete it for good");
    await page.getByLabel("E-mail address").waitFor();
    assert.equal(
      (await (await checkedFetch(`${desk.mediaUrl}/${hashOf(ADA)}.json`)).json()).has_avatar,
      false,
    );
  });
  await nothingToComplain();
});
