import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { LabClients, macOf } from "../services/lease/engine/test/lab-clients.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed, unrouted } from "./routed.ts";

test("the page Activity leaves out no event", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, go, signIn } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const join = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) assert.ok(await clients.join(macOf(n)));
  };
  const rows = page.getByRole("grid", { name: "Activity" }).locator("tbody tr");
  /** The hardware addresses of the newest twelve events, as they are and as they are shown. */
  const stored = async () =>
    (await other("GET", "lease-events?limit=12")).json.items.map(({ mac }: { mac: string }) => mac);
  const shown = () =>
    rows.evaluateAll((all) =>
      (all as HTMLElement[])
        .sort((one, next) => Number(one.dataset.index) - Number(next.dataset.index))
        .slice(0, 12)
        .map((row) => /[0-9a-f]{2}(:[0-9a-f]{2}){5}/.exec(row.textContent ?? "")?.[0]),
    );
  const newer = page.getByRole("button", { name: /newer/ });

  await step("while somebody reads further down, what comes is counted", async () => {
    await join(1, 60);
    await go("Activity");
    await untilEqual(shown, await stored());
    await page.evaluate(() => window.scrollTo(0, 900));
    await join(100, 109);
    await newer.filter({ hasText: "10 newer events" }).waitFor();
  });

  await step("back at the top, what comes next is not placed above a gap", async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    await join(110, 110);
    await newer.filter({ hasText: "11 newer events" }).waitFor();
    await untilEqual(async () => (await shown())[0], macOf(60));
    await newer.click();
    await untilEqual(shown, await stored());
    await join(111, 111);
    await untilEqual(shown, await stored());
    assert.equal(await newer.count(), 0);
  });

  await step("nor is it after another page was visited", async () => {
    await page.evaluate(() => window.scrollTo(0, 900));
    await join(120, 129);
    await newer.filter({ hasText: "10 newer events" }).waitFor();
    await go("Dashboard");
    await go("Activity");
    await untilEqual(shown, await stored());
    assert.equal(await newer.count(), 0);
  });

  await step("what the filter hides is not counted", async () => {
    await page.getByLabel("What", { exact: true }).selectOption("grant");
    await untilEqual(shown, await stored());
    await page.evaluate(() => window.scrollTo(0, 900));
    const [{ ip }] = (await other("GET", "leases?limit=1")).json.items;
    assert.equal((await other("DELETE", `leases/${ip}`)).status, 204);
    await join(130, 131);
    await newer.filter({ hasText: "2 newer events" }).waitFor();
    await press(/newer/);
    await untilEqual(async () => (await shown())[0], macOf(131));
  });

  journey.nothingToComplain();

  await step("nor does it after a gap behind which it could not be read", async () => {
    const isLine = (url: URL) => url.pathname.endsWith("/stream");
    const isList = (url: URL) => url.pathname.endsWith("/lease-events");
    await routed(page, isLine, (route) => route.abort());
    await page.goto(`${desk.url}/activity`);
    await untilEqual(shown, await stored());
    await join(140, 142);
    let refused = 0;
    await routed(page, isList, (route) => {
      refused++;
      return route.fulfill({ status: 500, contentType: "application/problem+json", body: "{}" });
    });
    await unrouted(page, isLine);
    await until("it was asked for after the gap, and is given up", () => refused >= 3);
    const before = refused;
    await join(150, 151);
    await until("it is asked for by itself", () => refused > before);
    await unrouted(page, isList);
    await join(152, 153);
    await untilEqual(shown, await stored());
  });
});
