import assert from "node:assert/strict";
import { test } from "node:test";
import { announce } from "@frontdesk/print-simulator/announce";
import { listen } from "@frontdesk/print-simulator/listener";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { enterOwnNetwork } from "@frontdesk/testkit/own-network";
import { untilEqual } from "@frontdesk/testkit/until";
import { complaintsOf, fits, readable } from "./console-journey.ts";
import { keepPicture } from "./pictures.ts";
import { printDesk } from "./print-desk.ts";

test("a printer is found in the console, and one press fills the form that adds it", async (t) => {
  if (!enterOwnNetwork(t, { chromium: "chromium" })) return;
  const desk = await printDesk(t, { PRINT_DISCOVERY_MS: "3000", PRINT_DISCOVERY_WAYS: "mdns,zebra,usb" });
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  await page.goto(desk.url);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Find printers" }).click();
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  await heading("Find printers");

  await t.test("while it looks it says so; where nothing answers it says what to do", async () => {
    await page
      .getByRole("status")
      .getByText(/^Looking, for about 3 seconds/)
      .waitFor();
    await page.getByRole("heading", { name: "No printer answered" }).waitFor();
    await page.getByText("0 printers found.").waitFor();
    await readable(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await readable(page);
    await fits(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await untilEqual(
      () => page.getByRole("link", { name: "add it by its address" }).getAttribute("href"),
      "/printers/~new",
    );
  });

  const printer = createPrinter();
  const device = await listen(printer, { port: 9100 });
  t.after(() => device.stop());
  const announced = await announce({
    name: "Loading dock, door 7",
    model: "ZT411-300dpi",
    serial: "18J1920001",
    firmware: "V92.21.39Z",
    host: "127.0.0.1",
    port: device.port,
  });
  t.after(() => announced.stop());

  await t.test(
    "one that answers appears while the search goes on, and fills the form, by keyboard alone",
    async () => {
      const again = page.getByRole("button", { name: "Search again" });
      await again.focus();
      await page.keyboard.press("Enter");
      const found = page.getByRole("list", { name: "Printers that were found" }).getByRole("listitem");
      await found.first().waitFor();
      await page
        .getByRole("status")
        .getByText(/^Looking.* 1 printer so far\.$/)
        .waitFor();
      await page.getByText("1 printer found.").waitFor();
      await page.getByText(/Found by .*multicast DNS/).waitFor();
      assert.match((await found.first().textContent()) ?? "", /Zebra's discovery/);
      await readable(page);
      await keepPicture(page, "print-find");
      await page.setViewportSize({ width: 360, height: 740 });
      await readable(page);
      await fits(page);
      await page.setViewportSize({ width: 1280, height: 900 });
      const add = page.getByRole("link", { name: "Add it: Loading dock, door 7" });
      for (let presses = 0; presses < 40; presses++) {
        if (await add.evaluate((link) => link === document.activeElement)) break;
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await heading("Add a printer");
      const value = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
      assert.deepEqual(
        [await value("Name"), await value("Short name"), await value("Address"), await value("Resolution")],
        ["Loading dock, door 7", "loading-dock-door-7", "127.0.0.1:9100", "12"],
      );
      await untilEqual(() => page.getByLabel("ZPL", { exact: true }).isChecked(), true);
      await readable(page);
      await page.getByRole("button", { name: "Add the printer" }).click();
      await heading("Loading dock, door 7");
      await page.getByText("Ready", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Print a test label" }).click();
      const jobs = page.getByRole("table", { name: "Jobs of this printer" });
      await jobs.getByText("Done", { exact: true }).waitFor();
      assert.equal(printer.labels.length, 1);
    },
  );

  await t.test("one that was added is known, and leads to its page", async () => {
    await page.goto(`${desk.url}/printers/~find`);
    await page.getByRole("link", { name: "Already added as loading-dock-door-7" }).click();
    await heading("Loading dock, door 7");
  });
  assert.deepEqual(complaints, []);
});
