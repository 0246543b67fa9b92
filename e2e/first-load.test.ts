import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import { managerDesk } from "../services/lease/manager/test/manager-desk.ts";
import { avatarDesk } from "./avatar-desk.ts";
import { presenceDesk } from "./presence-desk.ts";
import { printDesk } from "./print-desk.ts";
import { routed } from "./routed.ts";

const MAX_BYTES = 200_000;

test("a console's first page is on the screen after at most 200 kB on the wire", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const lease = await managerDesk(t);
  const presence = await presenceDesk(t);
  await presence.makeOrganisation(presence.firstRunLink());
  const consoles: Record<string, { url: string; get: typeof fetched }> = {
    avatar: { url: (await avatarDesk(t)).consoleUrl, get: fetched },
    presence: { url: presence.url, get: fetched },
    print: { url: (await printDesk(t)).url, get: fetched },
    lease: {
      url: `${lease.url}/`,
      // By the authority of its home, which fetch does not know.
      get: async (url) => {
        const { headers, text } = await lease.call("GET", new URL(url).pathname);
        return { type: String(headers["content-type"]), text };
      },
    },
  };
  for (const [name, { url, get }] of Object.entries(consoles)) {
    await t.test(`${name}: whoever looks for a fault in a script finds its sources`, async () => {
      const page = (await get(url)).text;
      const script = new URL(/<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1] ?? "", url).href;
      const map = /\/\/# sourceMappingURL=(\S+)/.exec((await get(script)).text)?.[1] ?? "";
      const { type, text } = await get(new URL(map, script).href);
      assert.match(type, /json/);
      const { sources } = JSON.parse(text) as { sources: string[] };
      assert.ok(
        sources.some((source) => source.endsWith("src/main.tsx")),
        sources.join(" "),
      );
    });
    await t.test(name, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      page.setDefaultTimeout(PAGE_LIMIT_MS);
      const network = await context.newCDPSession(page);
      let bytes = 0;
      network.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await network.send("Network.enable");
      await page.goto(url, { waitUntil: "networkidle" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      await context.close();
      assert.ok(bytes > 50_000, `only ${bytes} bytes were seen: the page is not what was counted`);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
      t.diagnostic(`${name}: ${Math.round(bytes / 1_000)} kB`);
    });
    await t.test(
      `${name}: its first words are seen before its styles are there, and nothing else is`,
      async () => {
        const context = await browser.newContext({ ignoreHTTPSErrors: true });
        const page = await context.newPage();
        page.setDefaultTimeout(PAGE_LIMIT_MS);
        const released = Promise.withResolvers<void>();
        await routed(page, "**/*.css", async (route) => {
          await released.promise;
          await route.continue();
        });
        const script = page.waitForResponse((response) => response.url().endsWith(".js"));
        await page.goto(url, { waitUntil: "commit" });
        await (await script).finished();
        await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
        await untilEqual(() => page.locator("#root").textContent(), "Frontdesk");
        released.resolve();
        await page.getByRole("heading", { level: 1 }).waitFor();
        await context.close();
      },
    );
  }
});

test("who is signed in gets the console's files beside the question who that is", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const { url, token } = await printDesk(t);
  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const parts: string[] = [];
  page.on("request", (request) => parts.push(new URL(request.url()).pathname));
  const isBehind = (path: string) => /\/signed-in-[^/]+\.js$/.test(path);
  await page.goto(url, { waitUntil: "networkidle" });
  assert.ok(!parts.some(isBehind), "who is not gets the page to sign in alone");
  const ahead = page.waitForRequest((request) => isBehind(request.url()));
  await page.getByLabel("Administrator's token").fill(token);
  await page.keyboard.press("End");
  await ahead;
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Printers" }).waitFor();
  const released = Promise.withResolvers<void>();
  await routed(page, "**/api/v1/admin/session", async (route) => {
    await released.promise;
    await route.continue();
  });
  const beside = page.waitForRequest((request) => isBehind(request.url()));
  await page.reload({ waitUntil: "commit" });
  await beside;
  released.resolve();
  await page.getByRole("heading", { level: 1, name: "Printers" }).waitFor();
});

async function fetched(url: string): Promise<{ type: string; text: string }> {
  const response = await fetch(url);
  return { type: response.headers.get("content-type") ?? "", text: await response.text() };
}
