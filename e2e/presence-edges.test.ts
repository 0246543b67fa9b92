import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { fits, hasFont } from "./console-journey.ts";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";

const SMALL_PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

test("presence: addresses by hand, many addresses at once, and the smallest phone", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, newPage, step } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await page.context().addCookies(ada.jar);

  await step("an address without an organisation leads back to those that there are", async () => {
    await page.goto(`${desk.url}//`);
    await page.getByRole("link", { name: "To your organisations" }).waitFor();
  });

  await step("a time in the address that is none filters nothing", async () => {
    const { webhook } = await ada.ask("POST", "/webhooks", { url: "https://hooks.example/", events: [] });
    await page.goto(`${desk.url}/${ORG}/admin/webhooks/${webhook.id}?since=garbage&until=x`);
    await page.getByText("Nothing was sent yet").waitFor();
  });

  await step("more addresses than are invited at once are told at their field", async () => {
    await page.goto(`${desk.url}/${ORG}/admin/members`);
    const addresses = Array.from({ length: 60 }, (_, at) => `p${at}@example.org`).join("\n");
    await page.getByLabel("E-mail addresses").fill(addresses);
    await page.getByText("At most 50 at once: here are 60.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Invite", exact: true }).isDisabled());
  });

  await step("who is invited and belongs nowhere yet is told so", async () => {
    const { jar } = await desk.as("eve@example.org");
    await ada.ask("POST", "/invitations", { emails: ["eve@example.org"], role: "member" });
    const eve = await newPage();
    await eve.context().addCookies(jar);
    await eve.goto(desk.url);
    await eve.getByText("You belong to no organisation yet. Accept to join.").waitFor();
    await eve.getByRole("button", { name: "Accept the invitation" }).click();
    await eve.getByText("eve@example.org").first().waitFor();
    await eve.context().close();
  });

  await step(
    "a time zone that the browser does not know takes no page away, and is not guessed",
    async () => {
      const zone = "Pacific/Chatham";
      await (await desk.as("eve@example.org")).ask("PATCH", "/me", { timeZone: zone });
      await ada.ask("PATCH", "/me", { timeZone: zone });
      const old = await newPage();
      await old.context().addCookies(ada.jar);
      await old.addInitScript((unknown) => {
        const make = (Known: typeof Intl.DateTimeFormat, args: unknown[]) => {
          const [locales, options] = args as ConstructorParameters<typeof Known>;
          if (options?.timeZone === unknown) throw new RangeError(`Invalid time zone specified: ${unknown}`);
          return new Known(locales, options);
        };
        Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
          construct: make,
          apply: (Known, _, args) => make(Known, args),
        });
      }, zone);
      const dialog = old.getByRole("dialog");
      await old.goto(`${desk.url}/${ORG}/board`);
      const own = await old.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
      const named = `Time in ${own.replaceAll("_", " ")}: this browser does not know ${zone}`;
      await old.getByRole("button", { name: /^eve/ }).click();
      await dialog.getByRole("button", { name: "Pick a time", exact: true }).click();
      await dialog.getByText(named).waitFor();
      assert.equal(await dialog.getByText(`in ${zone}`, { exact: false }).count(), 0);

      const now = new Date();
      const noonOf = (day: number) =>
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, day, 12));
      const [from, to] = [noonOf(10).toISOString(), noonOf(20).toISOString()];
      await ada.ask("POST", "/me/planned", { repeats: "never", status: "away", from, to });
      // As Swedes write it: 2026-12-10 13:00.
      const ownClock = new Intl.DateTimeFormat("sv", {
        timeZone: own,
        dateStyle: "short",
        timeStyle: "short",
      });
      await old.goto(`${desk.url}/${ORG}/me`);
      await old.getByRole("button", { name: /^Change Away/ }).click();
      const field = dialog.getByLabel("From", { exact: true });
      assert.equal(await field.textContent(), ownClock.format(noonOf(10)));
      await field.click();
      await old.getByRole("button", { name: /^12 \w+ \d+$/ }).click();
      await untilEqual(() => field.textContent(), ownClock.format(noonOf(12)));
      // The calendar lies over the button.
      await dialog.getByLabel("Note", { exact: true }).press("Enter");
      await untilEqual(() => dialog.count(), 0);
      const [plan] = (await ada.ask("GET", "/me/planned")).data;
      assert.equal(plan.from, noonOf(12).toISOString(), "what is sent is what is shown");
      await ada.ask("PATCH", "/me", { timeZone: null });
      await old.context().close();
    },
  );

  await step(
    "on the smallest phone no word of a status is broken, and no title lies under a button",
    async () => {
      await ada.ask("PUT", "/me/status", { status: "in-office", until: { day: "tomorrow", time: "09:00" } });
      const phone = await newPage(SMALL_PHONE);
      await phone.context().addCookies(ada.jar);
      await phone.goto(`${desk.url}/${ORG}/board`);
      const label = phone.getByRole("listitem").getByText("In the office").first();
      await label.waitFor();
      await hasFont(phone);
      const lines = await label.evaluate(
        (words) =>
          words.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(words).lineHeight),
      );
      assert.equal(Math.round(lines), 1);
      await fits(phone);
      await ada.ask("PATCH", "/me", { name: "A".repeat(60) });
      await phone.getByRole("button", { name: /AAAA/ }).first().click();
      const dialog = phone.getByRole("dialog");
      const [title, close] = [dialog.locator("h2").first(), dialog.getByRole("button", { name: "Close" })];
      const [words, button] = [await title.boundingBox(), await close.boundingBox()];
      assert.ok((words?.x ?? 0) + (words?.width ?? 0) <= (button?.x ?? 0), JSON.stringify([words, button]));
      await phone.context().close();
    },
  );

  await step("light and dark are chosen by a finger on a shared page", async () => {
    const { url } = await ada.ask("POST", "/share-links", { kind: "board", name: "Lobby" });
    const phone = await newPage(SMALL_PHONE);
    await phone.goto(url);
    const dark = phone.locator("label", { hasText: "Dark" });
    await dark.waitFor();
    await untilEqual(async () => {
      const box = await dark.boundingBox();
      return Math.min(box?.width ?? 0, box?.height ?? 0) >= 44;
    }, true);
    await phone.context().close();
  });

  journey.nothingToComplain();
});
