import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { Secret, TOTP } from "otpauth";
import { checkedFetch } from "../services/avatar/test/openapi-check.ts";
import { ADA, closeMessages, consoleJourney, readable } from "./console-journey.ts";
import { twoColourPhoto } from "./pictures.ts";
import { heldWrites } from "./routed.ts";

const SECOND = "ada.second@example.org";
/** So many authenticator codes may be wrong before the code from the mail is void. */
const TRIES = 5;

test("the avatar console: nobody stumbles over a name, a focus, or a code that is void", async (t) => {
  const journey = await consoleJourney(t);
  if (!journey) return;
  const { desk, page, step, go, press, told, askForCode, nothingToComplain } = journey;
  const focusedTag = () => page.evaluate(() => document.activeElement?.tagName);
  const first = page.getByLabel("First name");
  const mailed = page.getByLabel("Code from the mail");
  const authenticator = page.getByLabel("Authenticator or recovery code");
  /** Types wrong authenticator codes until the page asks for another thing. */
  const wearOut = async (button: string) => {
    for (let n = 0; n <= TRIES; n++) {
      await authenticator.fill(`00000${n}`);
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await press(button);
      await answered;
    }
  };

  await step("who has said a name stays on the page by keyboard", async () => {
    await journey.signIn();
    await first.fill("Ada");
    await first.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Hello, Ada" }).waitFor();
    await first.waitFor({ state: "detached" });
    await untilEqual(focusedTag, "H1");
  });

  await step("who discards a design by keyboard does, too", async () => {
    await go("Design");
    await page.getByLabel("Drawn from").fill("Ada");
    await press("Save");
    await told("Saved. All your confirmed addresses show this face now.");
    await page.getByLabel("Drawn from").fill("Grace");
    await page.getByRole("button", { name: "Discard changes" }).press("Enter");
    await untilEqual(() => page.getByLabel("Drawn from").inputValue(), "Ada");
    await untilEqual(focusedTag, "H1");
  });

  await step("a name with a space behind it is nobody else's change", async () => {
    await go("Account and security");
    const write = await heldWrites(page, "**/me/name");
    await first.fill("Ada Two ");
    await press("Change my name");
    await write.sent();
    await first.fill("Ada Three");
    await write.letGo();
    await told("Your name is changed");
    assert.equal(await page.getByText("was changed elsewhere").count(), 0);
    await closeMessages(page);
    await press("Change my name");
    await told("Your name is changed");
    await untilEqual(() => first.inputValue(), "Ada Three");
  });

  let recoveryCode = "";
  await step("an answer about one address leaves the code of another alone", async () => {
    await go("E-mail addresses");
    const [one, other] = ["ada.one@example.org", "ada.other@example.org"];
    const late = async (path: string, order: () => Promise<void>, act: () => Promise<void>) => {
      const write = await heldWrites(page, (url) => url.pathname.endsWith(path));
      await order();
      await write.sent();
      await act();
      await write.letGo();
    };
    await askForCode(one);
    await press("Later");
    await late(
      "/emails",
      async () => {
        await page.getByLabel("E-mail address", { exact: true }).fill(other);
        await press("Mail me a code");
      },
      async () => {
        await press(`Confirm ${one}`);
        await mailed.fill("123");
      },
    );
    await page.getByRole("button", { name: `Confirm ${other}` }).waitFor();
    await page.getByRole("heading", { name: `Confirm ${one}` }).waitFor();
    assert.equal(await mailed.inputValue(), "123");
    await late(
      "/verify",
      async () => {
        await mailed.fill(desk.newestCode(one));
        await press("Confirm");
      },
      async () => {
        await press(`Confirm ${other}`);
        await mailed.fill("789");
      },
    );
    await told(`${one} is confirmed and shows your face now.`);
    assert.equal(await mailed.inputValue(), "789");
    await press("Later");
    await closeMessages(page);
    await go("Account and security");
  });

  await step("an address is confirmed although the first code was used up", async () => {
    await press("Turn it on");
    const key = await page.getByText(/^[A-Z2-7]{16,}$/).textContent();
    const phone = new TOTP({ secret: Secret.fromBase32(key ?? "") });
    await page.getByLabel("Code from the app").fill(phone.generate());
    await press("Turn it on");
    // Codes that are shown once come before any other question.
    const shown = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    recoveryCode = (await shown.first().textContent()) ?? "";
    await press("Sign out everywhere");
    const codes = page.getByRole("dialog", { name: "Leave without the recovery codes?" });
    await codes.getByRole("button", { name: "Cancel" }).click();
    await codes.waitFor({ state: "detached" });
    await press("I have kept them");
    await go("E-mail addresses");
    await mailed.fill(await askForCode(SECOND));
    await press("Confirm");
    await authenticator.waitFor();
    await wearOut("Confirm");
    await mailed.waitFor();
    await told(/^That code is not right, or it has expired/);
    await readable(page);
    await press("Send a new code");
    await told("A new code is on its way");
    await closeMessages(page);
    await mailed.fill(desk.newestCode(SECOND));
    await press("Confirm");
    await authenticator.waitFor();
    // A new code is asked for in the midst of it, and is what is asked for then.
    await press("Send a new code");
    await mailed.waitFor();
    assert.equal(await mailed.inputValue(), "");
    await told("A new code is on its way");
    await mailed.fill(desk.newestCode(SECOND));
    await press("Confirm");
    // A code is good once: this one is the next.
    await authenticator.fill(phone.generate({ timestamp: Date.now() + 30_000 }));
    await press("Confirm");
    await told(`${SECOND} is confirmed and shows your face now.`);
  });

  await step("signing out everywhere is asked, and ends the other devices too", async () => {
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const statusNow = async () =>
      (await checkedFetch(`${desk.consoleUrl}/me`, { headers: { cookie } })).status;
    await go("Account and security");
    const question = page.getByRole("dialog", { name: "Sign out everywhere?" });
    await press("Sign out everywhere");
    await readable(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await statusNow(), 200);
    await first.fill("Ada Four");
    await press("Sign out everywhere");
    await question.getByText("what you have not saved here is discarded").waitFor();
    await question.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("E-mail address").waitFor();
    assert.equal(await statusNow(), 401);
  });

  await step("who signs in with a code that was used up is asked for a new one", async () => {
    await mailed.fill(await askForCode(ADA));
    await press("Sign in");
    await authenticator.waitFor();
    await wearOut("Sign in");
    await mailed.waitFor();
    await told(/^That code is not right, or it has expired/);
    await readable(page);
    await press("send a new code");
    await told("A new code is on its way");
    await mailed.fill(desk.newestCode(ADA));
    await press("Sign in");
    await authenticator.fill(recoveryCode);
    await press("Sign in");
    await page.getByRole("heading", { level: 1, name: "Hello, Ada Three" }).waitFor();
  });

  await step("a face that the page shows only behind the question is not removed unseen", async () => {
    const versionIs = (version: number) => page.getByText(`, version ${version}. Shown for`).waitFor();
    await versionIs(1);
    await page.clock.install();
    await press("Remove");
    await page.getByRole("button", { name: "Remove it" }).waitFor();
    await page.evaluate(() =>
      fetch("/me/avatar", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ seed: "from the phone" }),
      }).then((response) => response.text()),
    );
    // What is shown is asked for anew when somebody comes back to the page after a while.
    await page.clock.fastForward(60_000);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await versionIs(2);
    await press("Remove it");
    await told("Your face was changed elsewhere meanwhile.");
    await versionIs(2);
  });

  await step("a picture that is used by a double click is saved once", async () => {
    await go("Upload a picture");
    await page.locator("input[type=file]").setInputFiles({
      name: "me.jpg",
      mimeType: "image/jpeg",
      buffer: await twoColourPhoto(),
    });
    const use = page.getByRole("button", { name: "Use this picture" });
    await untilEqual(() => use.isEnabled(), true);
    await use.dblclick();
    await press("Replace it");
    await told("Saved. All your confirmed addresses show this picture now.");
    assert.equal(await page.getByText("changed elsewhere").count(), 0);
  });

  await step("a picture whose answer comes late takes nobody away from where they went", async () => {
    await go("Upload a picture");
    await page.locator("input[type=file]").setInputFiles({
      name: "me.jpg",
      mimeType: "image/jpeg",
      buffer: await twoColourPhoto(),
    });
    const use = page.getByRole("button", { name: "Use this picture" });
    await untilEqual(() => use.isEnabled(), true);
    const upload = await heldWrites(page, "**/me/avatar/upload");
    await use.click();
    await upload.sent();
    await go("E-mail addresses");
    const field = page.getByLabel("E-mail address", { exact: true });
    await field.fill("half.typed@exa");
    await upload.letGo();
    await told("Saved. All your confirmed addresses show this picture now.");
    assert.equal(await field.inputValue(), "half.typed@exa");
  });
  await nothingToComplain();

  await step("an account that the server did not delete is not told to be deleted", async () => {
    await go("Account and security");
    await press("Delete my account");
    await page.getByRole("dialog").getByRole("textbox").fill(ADA);
    // The session has ended elsewhere, and the page does not know it yet.
    await page.context().clearCookies();
    await press("Delete it for good");
    await page
      .getByText(/session has ended/)
      .first()
      .waitFor();
    assert.equal(await page.getByText("Your account is deleted.").count(), 0);
  });
});
