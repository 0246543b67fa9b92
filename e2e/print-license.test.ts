import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { newSigningKeys } from "../services/print/bridge/src/adapters/license-file.ts";
import { readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";

test("a license file that cannot be one is refused with words before it is sent", async (t) => {
  const keyFile = join(temporaryHome(t), "license-public.pem");
  writeFileSync(keyFile, newSigningKeys().publicKey);
  const desk = await printDesk(t, { PRINT_LICENSE_KEY: keyFile });
  const browser = await startChromium(t);
  if (!browser) return;
  const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  await page.goto(`${desk.url}/settings`);
  await page.getByLabel("Administrator's token", { exact: true }).fill(desk.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  const license = page.getByRole("region", { name: "License" });
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));

  await t.test("the limit is said beforehand", async () => {
    await license.getByText("(at most 20 kB)").waitFor();
  });

  await t.test("a larger file is told by its size and the limit", async () => {
    await license.locator("input[type=file]").setInputFiles({
      name: "holiday.json",
      mimeType: "application/json",
      buffer: Buffer.alloc(20_001, " "),
    });
    const problem = license.getByRole("alert");
    await problem.getByText("holiday.json is too large: it has 20.1 kB, and 20 kB is the limit.").waitFor();
    await readable(page);
  });

  await t.test("of two files that are dropped at once none is taken", async () => {
    await license.getByRole("button", { name: "Choose a license file" }).evaluate((button) => {
      const dataTransfer = new DataTransfer();
      for (const name of ["a.json", "b.json"]) dataTransfer.items.add(new File(["{}"], name));
      button.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await license.getByText("These are 2 files, and one is wanted.").waitFor();
    t.assert.deepEqual(sent, []);
  });
});
