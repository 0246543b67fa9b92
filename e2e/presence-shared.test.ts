import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { fits } from "./console-journey.ts";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed } from "./routed.ts";

const MANY = 1_000;
/** More rows than this in one go hold up a page. */
const MAX_AT_ONCE = 100;

test("presence: many people, and long names", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, newPage, step } = journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);

  await step(
    "a shared board of a thousand people is drawn piece by piece, all of it, and stays live",
    async () => {
      const { url } = await ada.ask("POST", "/share-links", { kind: "board", name: "Lobby" });
      const screen = await newPage();
      await routed(screen, "**/api/v1/app/shared/*", async (route) => {
        const response = await route.fetch();
        const shared = await response.json();
        const others = Array.from({ length: MANY - 1 }, (_, at) => ({
          ...shared.members[0],
          id: `other ${at}`,
          name: `Person ${at}`,
        }));
        await route.fulfill({ response, json: { ...shared, members: [...others, ...shared.members] } });
      });
      await screen.addInitScript(() => {
        const drawn: number[] = [];
        Object.assign(window, { drawn });
        new MutationObserver((records) => {
          const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
          const rows = added.flatMap((node) =>
            node instanceof Element ? [...(node.matches("li") ? [node] : node.querySelectorAll("li"))] : [],
          );
          if (rows.length > 0) drawn.push(rows.length);
        }).observe(document, { childList: true, subtree: true });
      });
      await screen.goto(url);
      const people = screen.getByRole("list", { name: "People" }).locator("> li");
      await untilEqual(() => people.count(), MANY);
      const drawn = await screen.evaluate(() => (window as unknown as { drawn: number[] }).drawn);
      assert.ok(Math.max(...drawn) <= MAX_AT_ONCE, `${drawn}`);
      assert.equal(
        drawn.reduce((sum, rows) => sum + rows),
        MANY,
        "each once",
      );
      await people.first().getByText("Ada Lovelace").waitFor();
      await ada.ask("PUT", "/me/status", { status: "remote" });
      await people.first().getByText("Remote").waitFor();
      await screen.context().close();
    },
  );

  await step(
    "whoever belongs to several organisations chooses on a phone, however long their names",
    async () => {
      await ada.ask("PATCH", "", { name: "W".repeat(100) });
      const phone = await newPage({ viewport: { width: 320, height: 780 } });
      await phone.context().addCookies(ada.jar);
      await phone.goto(`${desk.url}/organisations`);
      await phone.getByRole("link", { name: /^WWW/ }).waitFor();
      await fits(phone);
      assert.match(await phone.title(), /organisation/i);
      await phone.getByRole("link", { name: /^WWW/ }).click();
      await untilEqual(() => Promise.resolve(phone.url()), `${desk.url}/${ORG}/board`);
      await phone.getByRole("heading", { level: 1 }).waitFor();
      await fits(phone);
      await phone.context().close();
    },
  );

  journey.nothingToComplain();
});
