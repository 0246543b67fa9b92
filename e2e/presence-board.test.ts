import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import type { Page, Route } from "playwright-core";
import { readable, settled } from "./console-journey.ts";
import { keepPicture } from "./pictures.ts";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed, unrouted } from "./routed.ts";

const BEN = "ben@example.org";
const HOSTILE = "<img src=x onerror=alert(1)>";
const PEOPLE: ReadonlyArray<[email: string, name: string, group: string | null]> = [
  [BEN, "Ben Ångström", "Engineering"],
  ["grace@example.org", "Grace Hopper", "Engineering"],
  ["sara@example.org", "سارة أحمد", "Warehouse"],
  ["hostile@example.org", HOSTILE, null],
];

test("presence: first run, and a board that is live", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, told, arrives, seen, closeDialog } = journey;
  const row = (words: string) =>
    page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: words });
  type Asking = Awaited<ReturnType<typeof desk.as>>["ask"];
  let asAda: Asking = async () => undefined;
  let asBen: Asking = async () => undefined;

  await step("the one-time link makes an organisation, and works once", async () => {
    await page.goto(desk.url);
    await page.getByRole("heading", { level: 1, name: "Nothing is set up yet" }).waitFor();
    await readable(page);
    await page.goto(desk.firstRunLink());
    await page.getByLabel("Name of the organisation").fill("Example & Sons");
    await page.getByLabel("Your e-mail address").fill(ADMIN);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await seen();
    await press("Make it");
    await page.getByRole("heading", { level: 1, name: "Example & Sons is made" }).waitFor();
    const again = await page.context().newPage();
    await again.goto(desk.firstRunLink());
    await again.getByRole("heading", { level: 1, name: "This link does not work" }).waitFor();
    await readable(again);
    await again.close();
    await page.getByRole("link", { name: "Sign in" }).click();
  });

  await step("who signs in by the code is on the board", async () => {
    await page.getByLabel("E-mail address").fill(ADMIN);
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").waitFor();
    await page.getByLabel("Code from the mail").fill(desk.codeFor(ADMIN));
    await press("Sign in");
    await row("Ada Lovelace").getByText("Available").waitFor();
    assert.equal(new URL(page.url()).pathname, `/${ORG}/board`);
  });

  await step("people who join appear by themselves, and a name stays a text", async () => {
    asAda = (await desk.as(ADMIN)).ask;
    await asAda("POST", "/invitations", { emails: PEOPLE.map(([email]) => email), role: "member" });
    for (const [email, name, group] of PEOPLE) {
      const { ask } = await desk.as(email);
      await ask("PATCH", "/me", { name });
      const { members } = await asAda("GET", "/board");
      const { id } = members.find((member: { email: string }) => member.email === email);
      if (group) await asAda("PATCH", `/members/${id}`, { group });
      if (email === BEN) asBen = ask;
    }
    for (const [, name] of PEOPLE) await row(name).waitFor();
    await told("5 people");
    assert.equal(await page.locator("[src=x]").count(), 0);
  });

  await step("a note of control characters, mark-up and long emoji stays a text", async () => {
    const astronaut = "\u{1f469}\u{1f3fd}\u200d\u{1f680}";
    const note = `\u0007\u001b[2J<b id=planted>bold</b> \u202eback\u202c ${astronaut}`;
    await asBen("PUT", "/me/status", { status: "in-office", note });
    await row("Ben Ångström").getByText(astronaut).waitFor();
    assert.match((await row("Ben Ångström").textContent()) ?? "", /<b id=planted>bold<\/b>/);
    assert.equal(await page.locator("#planted").count(), 0);
    await readable(page);
    await asBen("DELETE", "/me/status");
    await row("Ben Ångström").getByText("Available").waitFor();
  });

  await step("a label without a gap stays in its place, wide and on a phone", async () => {
    const label = "Donaudampfschifffahrt".repeat(4).slice(0, 80);
    const status = { key: "long", label, emoji: "", color: "#2f9e44", kind: "in", defaultMinutes: null };
    await asAda("POST", "/statuses", status);
    await asBen("PUT", "/me/status", { status: "long", until: "open" });
    const shown = row("Ben Ångström").getByText(label);
    await shown.waitFor();
    const note = await row("Ben Ångström").evaluate((item) => item.children[2]?.getBoundingClientRect().left);
    const words = await shown.evaluate((element) => element.getBoundingClientRect().right);
    assert.ok(note !== undefined && words <= note, `${words} is not over the next column, at ${note}`);
    await page.goto(`${desk.url}/${ORG}/me`);
    await press(label);
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    // A message that is pointed at does not go by itself.
    await undo.hover();
    const [wanted, given] = await undo.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    assert.equal(wanted, given, "its words are not cut off");
    await seen();
    await undo.click();
    await told("As before.");
    for (const path of ["board", "admin/statuses"]) {
      await page.goto(`${desk.url}/${ORG}/${path}`);
      await page.getByText(label).first().waitFor();
      await seen();
    }
    await page.goto(`${desk.url}/${ORG}/board`);
    await asAda("DELETE", "/statuses/long");
    await row("Ben Ångström").getByText("Available").waitFor();
  });

  await step("two people in two browsers see each other's changes", async () => {
    const bens = await arrives(BEN);
    await bens.getByRole("group", { name: "Set a status" }).getByRole("button", { name: "Focus" }).click();
    await row("Ben Ångström").getByText("Focus").waitFor();
    await row("Ben Ångström")
      .getByText(/^until /)
      .waitFor();
    await press("In a meeting");
    await told(/^In a meeting, until /);
    await bens.getByRole("listitem").filter({ hasText: "Ada Lovelace" }).getByText("In a meeting").waitFor();
    await press("Undo");
    await told("As before.");
    await bens.getByRole("listitem").filter({ hasText: "Ada Lovelace" }).getByText("Available").waitFor();
    await bens.context().close();
  });

  /** Two clicks of which the second comes while the first is on its way. */
  const quickly = async (shown: Page, one: string, other: string) => {
    const first = Promise.withResolvers<void>();
    const held = async (route: Route) => {
      await first.promise;
      await route.continue();
    };
    await routed(shown, "**/me/status", held);
    for (const name of [one, other]) await shown.getByRole("button", { name, exact: true }).click();
    first.resolve();
    await shown.getByText(new RegExp(`^${other}, until .*, then ${one} again\\.$`)).waitFor();
    await unrouted(shown, "**/me/status");
  };

  await step("of two quick clicks the last one counts, also where the first request is slow", async () => {
    await quickly(page, "Remote", "Focus");
    const { me, members } = await asAda("GET", "/board");
    const ada = members.find(({ id }: { id: string }) => id === me.id);
    assert.equal(ada.status.status, "focus");
    await asAda("DELETE", "/me/status");
    await row("Ada Lovelace").getByText("Available").waitFor();
  });

  await step(
    "what the stream tells late of the first of two clicks does not end the second's Undo",
    async () => {
      const adas = await arrives(ADMIN);
      const late = Promise.withResolvers<void>();
      await routed(adas, "**/stream?*", async (route) => {
        await late.promise;
        await route.continue();
      });
      await adas.reload();
      await quickly(adas, "Remote", "Focus");
      late.resolve();
      await asBen("PUT", "/me/status", { status: "focus", note: "until noon" });
      await adas.getByText("until noon").waitFor();
      await adas.getByRole("button", { name: "Undo", exact: true }).click();
      await adas.getByText("As before.").waitFor();
      await adas.context().close();
      await asAda("DELETE", "/me/status");
      await row("Ada Lovelace").getByText("Available").waitFor();
    },
  );

  await step("what another system sets is shown", async () => {
    const year = new Date().getFullYear() + 2;
    const { token } = await asAda("POST", "/tokens", { integration: "calendar", scopes: ["status:write"] });
    const reply = await fetch(`${desk.url}/api/v1/external/orgs/${ORG}/members/grace@example.org/status`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "vacation", expiresAt: `${year}-06-15T12:00:00Z` }),
    });
    assert.equal(reply.status, 200);
    await row("Grace Hopper").getByText("Vacation").waitFor();
    await row("Grace Hopper").getByText("set by calendar").waitFor();
    await row("Grace Hopper").getByText(`until 15 Jun ${year}`).waitFor();
  });

  await step("search, filters and groups are in the address", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("angstrom");
    await told("1 person shown");
    await page.reload();
    await told("1 person shown");
    await page.getByLabel("Search").press("Escape");
    await told("5 people");
    await page.getByText("Groups", { exact: true }).click();
    await page.getByRole("heading", { level: 2, name: "Engineering" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "Without a group" }).waitFor();
    await press(/^\d+\s*Out$/);
    await told("1 person shown");
    assert.match(page.url(), /view=groups.*kind=out|kind=out.*view=groups/);
    await press(/^\d+\s*Out$/);
    await settled(page);
    await seen();
    await keepPicture(page, "presence-board");
    await page.getByText("List", { exact: true }).click();
  });

  await step("a person is opened, followed, and told of", async () => {
    await row("Ben Ångström").getByRole("button").click();
    await dialog.getByText(BEN).waitFor();
    // By keyboard: a click may miss it while the dialog is still coming into its place.
    await dialog.getByRole("switch").press("Space");
    await dialog.getByRole("switch", { checked: true }).waitFor();
    await readable(page);
    await closeDialog();
    await asBen("PUT", "/me/status", { status: "remote" });
    await told("Ben Ångström: Remote");
  });

  await step("eight tabs of a browser have one stream, which outlives the tab that has it", async () => {
    const context = page.context();
    let streams = 0;
    context.on("request", (request) => {
      if (request.url().includes("/stream?")) streams++;
    });
    const tabs = await Promise.all(
      Array.from({ length: 7 }, async () => {
        const tab = await context.newPage();
        await tab.goto(`${desk.url}/${ORG}/board`);
        await tab.getByRole("listitem").filter({ hasText: "Ben" }).waitFor();
        return tab;
      }),
    );
    await asBen("PUT", "/me/status", { status: "sick" });
    for (const tab of tabs)
      await tab.getByRole("listitem").filter({ hasText: "Ben" }).getByText("Sick").waitFor();
    assert.equal(streams, 0, "the first tab has it already");
    await page.goto("about:blank");
    await asBen("PUT", "/me/status", { status: "in-office" });
    for (const tab of tabs) {
      await tab.getByRole("listitem").filter({ hasText: "Ben" }).getByText("In the office").waitFor();
    }
    assert.equal(streams, 1);
    for (const tab of tabs) await tab.close();
  });

  await step("the wall lives through a restart of the service, and says so meanwhile", async () => {
    await page.goto(`${desk.url}/${ORG}/wall`);
    await row("Ben Ångström").getByText("In the office").waitFor();
    await readable(page);
    await desk.stop();
    await told(/^as of .*, reconnecting$/);
    await readable(page);
    await desk.start();
    await asBen("PUT", "/me/status", { status: "focus" });
    await row("Ben Ångström").getByText("Focus").waitFor();
    await page.getByText(/reconnecting$/).waitFor({ state: "detached" });
  });

  await step("the wall loads the new pages by itself after an upgrade of its files", async () => {
    const isNew = () =>
      page
        .locator('script[src$="-upgraded.js"]')
        .count()
        .then(
          (count) => count === 1,
          () => false,
        );
    assert.equal(await isNew(), false);
    await desk.stop();
    desk.upgradePages();
    await desk.start();
    await until("the wall has the new pages", isNew);
    await row("Ben Ångström").getByText("Focus").waitFor();
    await asBen("PUT", "/me/status", { status: "in-office" });
    await row("Ben Ångström").getByText("In the office").waitFor();
    await asBen("PUT", "/me/status", { status: "focus" });
  });

  await step("without the server the board is read as it was, and goes on by itself", async () => {
    await page.goto(`${desk.url}/${ORG}/board`);
    await row("Ben Ångström").getByText("Focus").waitFor();
    const isKept = () =>
      page.evaluate(async (org) => {
        const kept = await caches.match(`/kept-board/${org}`, { cacheName: "presence-board" });
        const shell = await caches.open("presence-shell").then((cache) => cache.keys());
        const { members } = (await kept?.json())?.board ?? { members: [] };
        const ben = members.find(({ name }: { name: string }) => name === "Ben Ångström");
        return shell.length > 3 && ben?.status.status === "focus";
      }, ORG);
    // waitForFunction takes the promise of an async function for its answer.
    await until("the board is kept", isKept);
    await desk.stop();
    await page.reload();
    await told(/This is the board as of/);
    await row("Ben Ångström").getByText("Focus").waitFor();
    await readable(page);
    await desk.start();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await row("Ben Ångström").getByText("Focus").waitFor();
  });

  await step(
    "pages that were kept from before an upgrade say so, though they meet the new server alone",
    async () => {
      const notice = page.getByText("A new release is installed.");
      assert.equal(await notice.count(), 0);
      await desk.stop();
      await page.reload();
      await told(/This is the board as of/);
      desk.upgradePages();
      await desk.start();
      await row("Ben Ångström").getByText("Focus").waitFor();
      await notice.waitFor();
      await press("Load it now");
      await until(
        "the new pages are there",
        async () =>
          (await page
            .locator('script[src$="-upgraded-upgraded.js"]')
            .count()
            .catch(() => 0)) === 1,
      );
      await row("Ben Ångström").getByText("Focus").waitFor();
      await notice.waitFor({ state: "detached" });
    },
  );

  await step("signing out in one tab signs out the others, and leaves no board in the browser", async () => {
    const other = await page.context().newPage();
    await other.goto(`${desk.url}/${ORG}/board`);
    await other.getByRole("listitem").filter({ hasText: "Ben" }).waitFor();
    await page.evaluate(async () => {
      const cache = await caches.open("presence-board");
      await cache.put("/kept-board/left-long-ago", Response.json({}));
    });
    const kept = () =>
      page.evaluate(async () =>
        (await (await caches.open("presence-board")).keys()).map(({ url }) => new URL(url).pathname),
      );
    await other.reload();
    await until(
      "only boards of one's own organisations stay",
      async () => String(await kept()) === `/kept-board/${ORG}`,
    );
    // Not by its stream: that would be later than the next board that it keeps.
    await routed(other, "**/stream*", (route) => route.abort());
    await press("Sign out");
    await page.getByLabel("E-mail address").waitFor();
    await other.getByLabel("E-mail address").waitFor();
    await asBen("PUT", "/me/status", { status: "sick" });
    await until("no board is kept", async () => (await kept()).length === 0);
    const texts = await page.evaluate(() => Object.entries({ ...localStorage, ...sessionStorage }).flat());
    assert.ok(!texts.some((text) => text.includes(ORG)), `nothing names the organisation: ${texts}`);
    await other.close();
  });
});
