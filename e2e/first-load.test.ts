import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { avatarDesk } from "./avatar-desk.ts";
import { printDesk } from "./print-desk.ts";

const MAX_BYTES = 200_000;

test("a console's first page is on the screen after at most 200 kB on the wire", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const consoles = {
    avatar: (await avatarDesk(t)).consoleUrl,
    print: (await printDesk(t)).url,
  };
  for (const [name, url] of Object.entries(consoles)) {
    await t.test(`${name}: whoever looks for a fault in a script finds its sources`, async () => {
      const page = await (await fetch(url)).text();
      const script = new URL(/<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1] ?? "", url);
      const map = /\/\/# sourceMappingURL=(\S+)/.exec(await (await fetch(script)).text())?.[1] ?? "";
      const response = await fetch(new URL(map, script));
      assert.match(response.headers.get("content-type") ?? "", /json/);
      const { sources } = (await response.json()) as { sources: string[] };
      assert.ok(
        sources.some((source) => source.endsWith("src/main.tsx")),
        sources.join(" "),
      );
    });
    await t.test(name, async () => {
      const context = await browser.newContext();
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
  }
});
