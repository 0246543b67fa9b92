import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients, macOf } from "../services/lease/engine/test/lab-clients.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { fits } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed, unrouted } from "./routed.ts";

test("what a person does in passing in the lease console, and what must not come of it", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, go, section, signIn, closeDialog, hold } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const join = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) assert.ok(await clients.join(macOf(n)));
  };

  await step("a form that is sent by a double click is sent once", async () => {
    await go("Users");
    const tokens = section("Tokens");
    await tokens.getByLabel("Name").fill("backup");
    // Both in one turn of the page, as on a slow phone.
    await tokens.getByRole("button", { name: "Make a token" }).evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await press("I have kept it");
    const names = (await other("GET", "tokens")).json.items.map((token: { name: string }) => token.name);
    assert.deepEqual(names, ["backup"]);
  });

  await step("a refusal that comes after its dialog was closed is told all the same", async () => {
    await press("Change your password");
    await dialog.getByLabel("Current password").fill("wrong password");
    await dialog.getByLabel("New password").fill("a new password 12");
    const change = await hold("PUT", /auth\/password/);
    await page.keyboard.press("Enter");
    await change.asked;
    await closeDialog();
    await change.letGo();
    await page.getByRole("alert").filter({ hasText: "password" }).waitFor();
  });

  await step("tables fit beside the menu of a tablet, and the menu can be used on a low screen", async () => {
    for (const width of [768, 834, 900]) {
      await page.setViewportSize({ width, height: 1000 });
      for (const name of ["Reservations", "Users", "Dashboard"]) {
        await go(name);
        await fits(page);
      }
    }
    await page.setViewportSize({ width: 320, height: 256 });
    await press("Open the menu");
    const last = page.getByRole("navigation", { name: "Pages" }).getByRole("link").last();
    await last.scrollIntoViewIfNeeded();
    const menu = page.getByRole("navigation", { name: "Pages" });
    const room = await menu.evaluate((nav) => {
      const list = nav.querySelector("ul") as HTMLElement;
      const scroller = [...nav.querySelectorAll("*"), nav].find(
        (each) => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY === "auto",
      );
      return (scroller ?? list).clientHeight;
    });
    assert.ok(room >= 200, `the menu scrolls within ${room} px`);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await step("what could not be read again does not pass for what is", async () => {
    await go("Dashboard");
    await page.getByText("Healthy").first().waitFor();
    const isRead = (url: URL) => /\/api\/v1\/(engine\/status|dashboard)/.test(url.pathname);
    await routed(page, isRead, (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "internal", detail: "Something went wrong." }),
      }),
    );
    // While the engine runs, it tells by itself how it is.
    await other("POST", "engine/stop");
    await told(/This could not be read again\. It is shown as it was/);
    await unrouted(page, isRead);
    await other("POST", "engine/start");
    await untilEqual(() => page.getByText("This could not be read again").count(), 0);
  });

  await step("so it is above a long list, where it is seen", async () => {
    await join(1, 60);
    await go("Leases");
    const grid = page.getByRole("grid", { name: "Leases" });
    await grid.locator("tbody tr").first().waitFor();
    const isRead = (url: URL) => url.pathname.endsWith("/api/v1/leases");
    await routed(page, isRead, (route) =>
      route.fulfill({ status: 500, contentType: "application/problem+json", body: "{}" }),
    );
    await join(61, 61);
    const note = page.getByText("This could not be read again");
    await note.waitFor();
    const [noteBox, gridBox] = [await note.boundingBox(), await grid.boundingBox()];
    assert.ok(noteBox && gridBox && noteBox.y < gridBox.y, "above the rows");
    await unrouted(page, isRead);
    await press("Try again");
    await note.waitFor({ state: "detached" });
  });

  await step("the focus that was given up is not taken back when its row goes", async () => {
    await go("Dashboard");
    const link = page.locator("main tbody tr:last-child a[href]").last();
    await link.focus();
    const focused = await link.elementHandle();
    await focused?.evaluate((element) => (element as HTMLElement).blur());
    await join(70, 90);
    await page.waitForFunction((element) => !element?.isConnected, focused);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "BODY");
  });

  await step("an action that fails halfway shows what was done of it", async () => {
    const active = (await other("GET", "leases?state=active")).json.items;
    const [done, failed]: string[] = active.map(({ ip }: { ip: string }) => ip);
    // The events of the engine have the list read as well.
    const isLine = (url: URL) => url.pathname.endsWith("/stream");
    await routed(page, isLine, (route) => route.abort());
    await page.goto(`${desk.url}/leases?state=active`);
    for (const ip of [done, failed])
      await page.getByRole("checkbox", { name: `Tick ${ip}`, exact: true }).check();
    const isFailed = (url: URL) => url.pathname.endsWith(`/leases/${failed}`);
    await routed(page, isFailed, async (route) => {
      await untilEqual(async () => (await other("GET", `leases/${done}`)).json.state, "released");
      await route.fulfill({ status: 409, json: { code: "busy", detail: "Not now." } });
    });
    await press("Release");
    await inDialog("Release 2 leases");
    await told("Not now.");
    await page.getByRole("checkbox", { name: `Tick ${done}`, exact: true }).waitFor({ state: "detached" });
    await unrouted(page, isFailed);
    await unrouted(page, isLine);
  });

  await step("whoever agrees after what it was about has gone is told that nothing was done", async () => {
    const [{ ip }] = (await other("GET", "leases?state=active")).json.items;
    await page.goto(`${desk.url}/leases?state=active`);
    await press(`Release ${ip}`);
    assert.equal((await other("DELETE", `leases/${ip}`)).status, 204);
    await page.getByRole("checkbox", { name: `Tick ${ip}`, exact: true }).waitFor({ state: "detached" });
    await inDialog("Release");
    await told("What you were asked about is not on the page any more. Nothing was done.");
  });

  /** Ends the browser's session with the request that is refused for it: any other that the page sends would be told of it first. */
  const signedOutBy = (method: string, isIt: (url: URL) => boolean) =>
    routed(page, isIt, async (route) => {
      if (route.request().method() === method) await page.context().clearCookies();
      await route.continue();
    });

  await step("that somebody was signed out is told until they are signed in again", async () => {
    await go("Settings");
    const timings = section("Lease timings");
    const time = timings.getByLabel("Lease time", { exact: true });
    await time.fill("4000");
    const isSave = (url: URL) => url.pathname.endsWith("/config/full");
    await signedOutBy("PUT", isSave);
    await timings.getByRole("button", { name: "Save and apply" }).click();
    const refusal = page.locator("p[role=alert]", { hasText: "You are signed out. Sign in again." });
    await refusal.waitFor({ state: "attached" });
    await unrouted(page, isSave);
    await signIn("admin", PASSWORD);
    await refusal.waitFor({ state: "detached" });
    assert.equal(await time.inputValue(), "4000");
    await timings.getByRole("button", { name: "Discard my changes" }).click();
  });

  await step(
    "an order that the server refused is not told as done, whoever was signed in before",
    async () => {
      await go("System");
      await press("Reset to factory state");
      await inDialog("Reset to factory state");
      await dialog.getByRole("textbox").fill("factory reset");
      await signedOutBy("POST", (url) => url.pathname.endsWith("/system/factory-reset"));
      await inDialog("Go on");
      await told("You are signed out. Sign in again.");
      assert.equal((await other("GET", "reservations")).status, 200);
    },
  );
});
