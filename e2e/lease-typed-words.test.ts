import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed } from "./routed.ts";

const FIRST_PASSWORD = "first-password-123";

test("words that have to be typed in the lease console, and the password of a factory reset", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, go, signIn, hold } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const words = dialog.getByLabel("The words");
  const askToReset = async () => {
    await go("System");
    await press("Reset to factory state");
    await inDialog("Reset to factory state");
    await words.waitFor();
  };
  const isAskedOnLeaving = () =>
    page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));

  await step("a question that another one takes the place of is answered, too", async () => {
    await page.goto(`${desk.url}/settings?mode=text`);
    const editor = page.getByRole("textbox", { name: "Configuration, TOML" });
    const text = readFileSync(desk.configPath, "utf8");
    await editor.fill(text.slice(0, text.indexOf("[[subnet]]")));
    const busy = page.locator("main button[aria-busy]");
    const save = await hold("PUT", /\/config$/);
    await press("Save and apply");
    await press("Try it out");
    await untilEqual(() => busy.count(), 2);
    await save.letGo();
    await words.waitFor();
    await untilEqual(() => busy.count(), 1);
    await inDialog("Cancel");
    await untilEqual(() => busy.count(), 0);
    await press("Discard my changes");
  });

  await step("whoever goes back from the words has not left: a session that ends is told", async () => {
    await go("Dashboard");
    await askToReset();
    assert.equal(await isAskedOnLeaving(), false, "nothing is made yet");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    await page.context().clearCookies();
    // It may be told before that, and the menu be hidden.
    await page.locator('nav a[href="/reservations"]').evaluate((link: HTMLElement) => link.click());
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await signIn("admin", PASSWORD);
  });

  await step("the new password is told until somebody is signed in, in whichever tab", async () => {
    await askToReset();
    await routed(page, "**/system/factory-reset", (route) =>
      route.fulfill({ json: { password: FIRST_PASSWORD } }),
    );
    const reset = await hold("POST", /\/factory-reset$/);
    await words.fill("factory reset");
    await inDialog("Go on");
    await reset.asked;
    assert.equal(await isAskedOnLeaving(), true, "it is being made");
    await reset.letGo();
    await told(FIRST_PASSWORD);
    assert.equal(await isAskedOnLeaving(), true, "it is shown only now");
    const second = await page.context().newPage();
    // The manager was not reset: the session goes on there.
    await second.goto(desk.url);
    await second.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("User name").waitFor();
    assert.equal(await page.getByText(FIRST_PASSWORD).count(), 0);
    await second.close();
  });

  journey.nothingToComplain();
});
