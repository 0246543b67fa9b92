import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import type { BrowserContext, Page } from "playwright-core";
import { simulate } from "../services/lease/manager/src/adapters/simulate.ts";
import { managerDesk, PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { printDesk } from "./print-desk.ts";

/** More than the connections that a browser has to a server over HTTP/1.1. */
const TABS = 8;

/** Opens the tabs of one browser, and counts the streams that they open. */
async function tabsOf(
  t: TestContext,
  stream: string,
  signIn: (context: BrowserContext) => Promise<Page>,
  { count = TABS, hasLocks = true } = {},
) {
  const browser = await startChromium(t);
  if (!browser) return undefined;
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(PAGE_LIMIT_MS);
  // As on plain http beyond loopback.
  if (!hasLocks) await context.addInitScript("delete Navigator.prototype.locks");
  let streams = 0;
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === stream) streams++;
  });
  const first = await signIn(context);
  const tabs = [first];
  while (tabs.length < count) {
    const tab = await context.newPage();
    await tab.goto(first.url());
    await tab.getByRole("heading", { level: 1 }).waitFor();
    tabs.push(tab);
  }
  return { tabs, streams: () => streams };
}

const EVENTS = "/api/v1/admin/events";

/** A bridge with a printer that can be renamed, and how to sign in to it. */
async function bridgeOf(t: TestContext) {
  const { url, token } = await printDesk(t);
  return {
    rename: async (name: string) => {
      const printer = { id: "front", name, transport: "virtual", address: "", languages: ["zpl"] };
      const more = { dpmm: 8, rfid: false, feedback: "printer", widthMm: 100, heightMm: 50 };
      const { ok, status } = await fetch(`${url}/api/v1/admin/printers/front`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...printer, ...more }),
      });
      assert.ok(ok, String(status));
    },
    signIn: async (context: BrowserContext) => {
      const page = await context.newPage();
      await page.goto(url);
      await page.getByLabel("Administrator's token").fill(token);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Printers" }).waitFor();
      return page;
    },
  };
}

test("eight tabs of the print console have one stream, which outlives the tab that has it", async (t) => {
  const { rename, signIn } = await bridgeOf(t);
  const open = await tabsOf(t, EVENTS, signIn);
  if (!open) return;
  const { tabs, streams } = open;
  await rename("Ground floor");
  for (const tab of tabs) await tab.getByText("Ground floor").first().waitFor();
  assert.equal(streams(), 1);
  await tabs.shift()?.close();
  await rename("Top floor");
  for (const tab of tabs) await tab.getByText("Top floor").first().waitFor();
  assert.equal(streams(), 2);
});

test("where a browser has no locks, each tab that is looked at has its own stream", async (t) => {
  const { rename, signIn } = await bridgeOf(t);
  const open = await tabsOf(t, EVENTS, signIn, { count: 2, hasLocks: false });
  if (!open) return;
  const { tabs, streams } = open;
  await rename("Ground floor");
  for (const tab of tabs) await tab.getByText("Ground floor").first().waitFor();
  assert.equal(streams(), 2);
});

test("eight tabs of the lease console have one stream, which outlives the tab that has it", async (t) => {
  const desk = await managerDesk(t);
  const call = await desk.signedIn();
  const known = new Set<string>();
  /** As many devices have leases; answers with the address of one that is new. */
  const devices = async (count: number) => {
    await simulate(`127.0.0.1:${desk.dhcp}`, count);
    const { items } = (await call("GET", "leases")).json as { items: Array<{ ip: string }> };
    const fresh = items.map(({ ip }) => ip).filter((ip) => !known.has(ip));
    for (const ip of fresh) known.add(ip);
    return fresh[0] ?? assert.fail("no new lease");
  };
  const open = await tabsOf(t, "/api/v1/stream", async (context) => {
    const page = await context.newPage();
    await page.goto(desk.url);
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
    return page;
  });
  if (!open) return;
  const { tabs, streams } = open;
  const sees = async (ip: string) => {
    for (const tab of tabs)
      await tab
        .getByRole("table", { name: "Newest events" })
        .getByText(ip, { exact: true })
        .first()
        .waitFor();
  };
  await sees(await devices(2));
  assert.equal(streams(), 1);
  await tabs.shift()?.close();
  await sees(await devices(4));
  assert.equal(streams(), 2);
});
