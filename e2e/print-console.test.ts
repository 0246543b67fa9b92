import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listen } from "@frontdesk/print-simulator/listener";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { issueLicense, newSigningKeys } from "../services/print/bridge/src/adapters/license-file.ts";
import { closeMessages, complaintsOf, fits, readable } from "./console-journey.ts";
import { keepPicture } from "./pictures.ts";
import { printDesk, shopPage } from "./print-desk.ts";

const TEMPLATE = "^XA^FO40,40^A0N,60,60^FD{{1}}^FS^FO40,140^A0N,40,40^FD{{2}}^FS^XZ";

test("the print console does its whole job", async (t) => {
  debianProgram(t, "certutil", "libnss3-tools");
  const printer = createPrinter();
  const device = await listen(printer);
  t.after(() => device.stop());
  const keys = newSigningKeys();
  const keyFile = join(temporaryHome(t), "license-public.pem");
  writeFileSync(keyFile, keys.publicKey);
  const desk = await printDesk(t, { PRINT_LICENSE_KEY: keyFile });
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  let broken = false;
  const step = async (name: string, take: () => Promise<void>) => {
    if (broken) return;
    broken = true;
    await t.test(name, async () => {
      await closeMessages(page);
      await take();
      broken = false;
    });
  };
  const press = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" }).click();
  const go = (name: string) =>
    page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
  const told = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

  await step("the administrator signs in with the token, and with no other", async () => {
    const response = await page.goto(`${desk.url}/jobs`);
    const policy = response?.headers()["content-security-policy"] ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
    await readable(page);
    await page.getByLabel("Administrator's token").fill("not-it");
    await press("Sign in");
    await told(/That is not the administrator's token/);
    await readable(page);
    await page.getByLabel("Administrator's token").fill(desk.token);
    await press("Sign in");
    await heading("Jobs");
    const [cookie, ...others] = await context.cookies();
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.sameSite, others.length],
      ["frontdesk_print", true, "Strict", 0],
    );
    assert.equal(await page.evaluate(() => document.cookie), "");
  });

  await step("a page of another origin, or of no known one, cannot write with the cookie", async () => {
    const [cookie] = await context.cookies();
    const key = await page.evaluate(() => localStorage.getItem("frontdesk-print-page-key"));
    const onlyCookie = { cookie: `${cookie?.name}=${cookie?.value}` };
    const headers = { ...onlyCookie, "x-frontdesk-page-key": String(key) };
    const write = (more: Record<string, string>) =>
      fetch(`${desk.url}/api/v1/admin/printers/virtual/test`, {
        method: "POST",
        headers: { ...headers, ...more },
      });
    assert.equal((await write({ origin: "http://127.0.0.1:1" })).status, 403);
    assert.equal((await write({ "sec-fetch-site": "same-site" })).status, 403);
    assert.equal((await write({})).status, 403);
    assert.equal((await write({ origin: desk.url })).status, 202);
    // The cookie goes to every port of this machine: without what only the page has, it opens nothing.
    const read = await fetch(`${desk.url}/api/v1/admin/printers`, { headers: onlyCookie });
    assert.equal(read.status, 401);
  });

  await step("every page and printer is found by its name, with Ctrl-K", async () => {
    await page.keyboard.press("Control+k");
    const search = page.getByRole("textbox", { name: "Go to, or do" });
    await search.fill("add a");
    await page.getByRole("button", { name: "Add a printer" }).last().waitFor();
    await readable(page);
    await page.keyboard.press("Enter");
    await heading(/printer/i);
    assert.equal(new URL(page.url()).pathname, "/printers/~new");
    await press("Go to …");
    await search.fill("virtual");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/printers/virtual");
  });

  await step("the virtual printer prints a test label, and its picture appears by itself", async () => {
    await go("Printers");
    await page.getByRole("link", { name: "Virtual printer" }).click();
    await heading("Virtual printer");
    const labels = page.getByRole("list", { name: /Printed labels/ }).getByRole("img");
    await labels.first().waitFor();
    const before = await labels.count();
    await press("Print a test label");
    await told("A test label is on its way to Virtual printer.");
    await page.waitForFunction(
      (n) => document.querySelectorAll('ul[aria-label^="Printed labels"] img').length > n,
      before,
    );
    await page.waitForFunction(() => {
      const label = document.querySelector<HTMLImageElement>('ul[aria-label^="Printed labels"] img');
      return (label?.naturalWidth ?? 0) > 200;
    });
    await readable(page);
    await keepPicture(page, "print-printer");
  });

  await step("a network printer is added, and a wrong address is told", async () => {
    await go("Printers");
    await page.getByRole("link", { name: "Add a printer" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Loading dock");
    await untilEqual(() => page.getByLabel("Short name").inputValue(), "loading-dock");
    await page.getByLabel("Address", { exact: true }).fill("no such host");
    await press("Add the printer");
    await told(/"no such host" is not host:port/);
    await readable(page);
    await page.getByLabel("Address", { exact: true }).fill(`127.0.0.1:${device.port}`);
    await page.getByLabel("It encodes RFID tags").check();
    await press("Add the printer");
    await heading("Loading dock");
    await page.getByText("Ready", { exact: true }).waitFor();
    await press("Print a test label");
    await page
      .getByRole("table", { name: "Jobs of this printer" })
      .getByText("Done", { exact: true })
      .waitFor();
    assert.equal(printer.labels.length, 1);
    await go("Printers");
    await page.getByRole("link", { name: "Loading dock" }).waitFor();
    await readable(page);
    await keepPicture(page, "print-printers");
    await page.getByRole("link", { name: "Loading dock" }).click();
  });

  await step("an open head shows within the page as it happens, and so does the held job", async () => {
    printer.set("head-open", true);
    await told(/the head is open/i);
    await press("Print a test label");
    const jobs = page.getByRole("table", { name: "Jobs of this printer" });
    await jobs.getByText("Held", { exact: true }).waitFor();
    await jobs.getByRole("link").first().click();
    await heading("Job");
    await page.getByRole("heading", { name: "What will be printed" }).waitFor();
    await readable(page);
    printer.set("head-open", false);
    await page.getByText("Done", { exact: true }).waitFor();
    const labels = page.getByRole("table", { name: "Labels of this job" });
    await labels.getByText("Printed", { exact: true }).waitFor();
    assert.equal(printer.labels.length, 2);
  });

  await step("a template is written with a live preview, saved, tried and changed", async () => {
    await go("Templates");
    await page.getByRole("link", { name: "New template" }).waitFor();
    await readable(page);
    await page.getByRole("link", { name: "New template" }).click();
    const preview = page.getByRole("list", { name: "Preview" }).getByRole("img");
    const drawn = async () => {
      await preview.waitFor();
      return preview.getAttribute("src");
    };
    const redrawn = (before: string | null) =>
      page.waitForFunction((src) => {
        const now = document.querySelector('ul[aria-label="Preview"] img')?.getAttribute("src");
        return now !== undefined && now !== src;
      }, before);
    await page.getByLabel("Name", { exact: true }).fill("Badge");
    await page.getByLabel("Short name").fill("badge");
    const first = await drawn();
    await page.getByLabel("Label", { exact: true }).fill(TEMPLATE);
    await redrawn(first);
    const second = await drawn();
    await page.getByLabel("Test value for {{1}}").fill("Grace Hopper");
    await redrawn(second);
    await page.getByLabel("Test value for {{2}}").fill("A ^ and a ~");
    await readable(page);
    await keepPicture(page, "print-template");
    await page.getByLabel("Label", { exact: true }).fill("^XA^FO{{1}},1^FDx^FS^XZ");
    await told(/A placeholder stands in \^FO/);
    await press("Save");
    await page
      .getByRole("alert")
      .getByText(/A placeholder stands in \^FO/)
      .waitFor();
    await page.getByLabel("Label", { exact: true }).fill("^XA^FO1,1^FD{{name}}^FS^FO9000,1^FDx^FS^XZ");
    await told(/Line 1, column/);
    await readable(page);
    await page.getByLabel("Label", { exact: true }).fill(TEMPLATE);
    await until("no warning is left", async () => (await page.getByText(/Line 1, column/).count()) === 0);
    await press("Save");
    await told("Saved as version 1. Pages print it from now on.");
    await heading("Badge");
    // The first save keeps what was typed for the preview.
    await untilEqual(() => page.getByLabel("Test value for {{1}}").inputValue(), "Grace Hopper");
    await page.getByLabel("Label", { exact: true }).fill(TEMPLATE.replace("60,60", "50,50"));
    await press("Save");
    await told("Saved as version 2.");
    await press("Compare version 1");
    await page.getByLabel("What bringing back version 1 changes").waitFor();
    await press("Bring back version 1");
    await told(/^Version 1 is in the editor/);
    await readable(page);
    await press("Save");
    await told("Saved as version 3.");
    await untilEqual(() => page.getByRole("button", { name: /^Compare version/ }).count(), 2);
    await page.getByLabel("Test value for {{2}}").fill("Navy");
    await page.getByLabel("On", { exact: true }).selectOption("virtual");
    await press("Print one");
    await told("One label with the test values is on its way.");
    await go("Jobs");
    const newest = page.getByRole("grid", { name: "Jobs" }).getByRole("row").nth(1);
    await newest.getByText("Done", { exact: true }).waitFor();
    await readable(page);
    await closeMessages(page);
    await keepPicture(page, "print-jobs");
    const [file] = await Promise.all([page.waitForEvent("download"), press("Download as CSV")]);
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\r\n");
    assert.match(lines[0] ?? "", /job,created,printer,origin,labels/);
    assert.match(lines[1] ?? "", /,Virtual printer,console,1,1,0,Done,$/);
    await closeMessages(page);
    await newest.getByRole("link").click();
    await page.getByRole("list", { name: "Pictures of the labels" }).getByRole("img").waitFor();
    await readable(page);
    const before = page.url();
    await press("Print again");
    await page.getByRole("dialog").getByRole("button", { name: "Print again" }).click();
    await told("It is on its way again, as a new job.");
    await page.waitForURL((url) => url.href !== before);
    await page.getByText("Done", { exact: true }).first().waitFor();
  });

  await step("a page asks, is let in by its code, prints, and is shut out", async () => {
    const origin = await shopPage(t, `127.0.0.1:${desk.port}`);
    // In a window of its own: Chromium slows the timers of a tab that lies behind another.
    const shop = await (await browser.newContext()).newPage();
    shop.setDefaultTimeout(PAGE_LIMIT_MS);
    await go("Printers");
    await shop.goto(origin);
    await shop.waitForFunction(() =>
      /^[A-Z2-9]{6}$/.test(document.querySelector("#code")?.textContent ?? ""),
    );
    await page.getByRole("link", { name: "Decide" }).click();
    await heading("Who may print");
    await page.getByLabel(`Code ${await shop.textContent("#code")}`).waitFor();
    await readable(page);
    await keepPicture(page, "print-origins");
    await press(`Let it in: ${origin}`);
    await press("Let it in");
    await shop.waitForFunction(() => document.querySelector("#state")?.textContent === "connected");
    const print = () =>
      shop.evaluate(() =>
        (window as unknown as { shop: { printRaw(p: string, d: string): Promise<unknown> } }).shop
          .printRaw("loading-dock", "^XA^FO20,20^A0N,40,40^FDshop^FS^XZ")
          .then(
            () => "printed",
            (error: { code?: string }) => String(error.code),
          ),
      );
    assert.equal(await print(), "printed");
    await press(`Change what ${origin} may do`);
    await page.getByLabel("Every printer, under its short name").first().uncheck();
    await page.getByLabel("Virtual printer").first().check();
    await page.getByLabel("What it calls Virtual printer").fill("labels");
    await readable(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await told(/Printers: virtual as labels\. May print raw data/);
    assert.equal(await print(), "PRINTER_UNKNOWN");
    await press(`Shut out ${origin}`);
    await press("Shut it out");
    await told(`${origin} is shut out.`);
    assert.equal(await print(), "ORIGIN_DENIED");
    await shop.close();
  });

  await step("an origin is let in by hand; its token works until it is revoked", async () => {
    await go("Who may print");
    await page.getByLabel("Origin", { exact: true }).fill("https://app.example.com/path");
    await press("Let it in and make a token");
    await told(/is not an origin/);
    await page.getByLabel("Origin", { exact: true }).fill("https://app.example.com");
    await press("Let it in and make a token");
    await press("Copy the token");
    const token = await page.evaluate(() => navigator.clipboard.readText());
    const printers = () =>
      fetch(`${desk.url}/api/v1/printers`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await printers()).status, 200);
    // The tooltip of the button that was pressed goes with the pointer.
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "detached" });
    await readable(page);
    await press("I have kept it");
    printer.tags.push("void", "ok");
    const tag = "^XA^RFW,H^FD3034257BF7194E4000001A85^FS^FO20,20^A0N,40^FDtag^FS^XZ";
    const printed = await fetch(`${desk.url}/api/v2/printers/loading-dock/print`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ data: tag }),
    });
    const { jobId } = (await printed.json()) as { jobId: string };
    await page.goto(`${desk.url}/jobs/${jobId}`);
    const labels = page.getByRole("table", { name: "Labels of this job" });
    await labels.getByText("Voided: its tag could not be written").waitFor();
    await labels.getByRole("row", { name: /Printed and encoded.*3034257BF7194E4000001A85/ }).waitFor();
    await readable(page);
    await go("Who may print");
    await press(/^Revoke token /);
    await press("Revoke the token");
    await told("The token is revoked.");
    assert.equal((await printers()).status, 401);
  });

  await step("the certificate is described and put where the browsers of the account look", async () => {
    await go("Certificate");
    await told("Not trusted yet");
    await told(/Frontdesk print bridge on/);
    await readable(page);
    await press("For the browsers of this account");
    await page
      .getByRole("list", { name: "What was done" })
      .getByText(/Chromium and Chrome: added to/)
      .waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "download the certificate" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "frontdesk-print.crt");
  });

  await step("settings, license and log are there to read, and a report to send", async () => {
    await go("Settings and license");
    await told(/Community license/);
    const fleet = {
      state: "active",
      tier: "fleet",
      rfidEncode: false,
      serving: true,
      expiresAt: null,
    } as const;
    const install = (file: string) =>
      page
        .getByLabel("Choose a license file")
        .last()
        .setInputFiles({ name: "license.json", mimeType: "application/json", buffer: Buffer.from(file) });
    await install(issueLicense(fleet, newSigningKeys().privateKey));
    await told(/signature/);
    await told(/Community license/);
    await closeMessages(page);
    await install(issueLicense(fleet, keys.privateKey));
    await told("The license is installed.");
    await told(/Fleet license\. Printing is allowed, but no RFID tags\./);
    await closeMessages(page);
    await page.getByRole("row", { name: /PRINT_WATCH_MS.*Set by you/ }).waitFor();
    await readable(page);
    const [report] = await Promise.all([page.waitForEvent("download"), press("Download a report")]);
    const text = await (await report.createReadStream()).toArray();
    const content = Buffer.concat(text).toString();
    assert.match(content, /"loading-dock"/);
    assert.doesNotMatch(content, new RegExp(`${desk.token}|fdprint_`));
    await go("Log");
    await told("ready");
    await readable(page);
  });

  await step("on a phone every page fits and can be read, and the menu opens and closes", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of [
      "/",
      "/printers/virtual",
      "/printers/~new",
      "/jobs",
      "/templates",
      "/templates/badge",
      "/origins",
      "/certificate",
      "/settings",
      "/audit",
      "/log",
    ]) {
      await page.goto(`${desk.url}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await until("the page has loaded", async () => (await page.getByText("Loading …").count()) === 0);
      await fits(page);
      await readable(page);
    }
    await press("Open the menu");
    await go("Jobs");
    await heading("Jobs");
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await step("a printer may have any short name, also one that a page could have", async () => {
    const headers = { authorization: `Bearer ${desk.token}`, "content-type": "application/json" };
    const known = await fetch(`${desk.url}/api/v1/admin/printers`, { headers });
    const { printers } = (await known.json()) as { printers: Array<Record<string, unknown>> };
    const { status: _, waiting: __, ...virtual } = printers.find(({ id }) => id === "virtual") ?? {};
    const made = await fetch(`${desk.url}/api/v1/admin/printers/new`, {
      method: "PUT",
      headers,
      body: JSON.stringify({ ...virtual, id: "new", name: "Just in" }),
    });
    assert.equal(made.status, 200);
    await page.goto(`${desk.url}/printers/new`);
    await heading("Just in");
  });

  await step("a printer and a template are removed after a question", async () => {
    await page.goto(`${desk.url}/printers/loading-dock`);
    await press("Remove this printer");
    await page.getByText(/jobs? waits? for it/).waitFor();
    await readable(page);
    await press("Remove the printer");
    await told("Loading dock is removed.");
    await heading("Printers");
    assert.equal(await page.getByRole("link", { name: "Loading dock" }).count(), 0);
    await page.goto(`${desk.url}/templates/badge`);
    await press("Remove this template");
    await press("Remove the template");
    await told("Badge is removed.");
  });

  await step("who signs out is out, with the old cookie too", async () => {
    const [cookie] = await context.cookies();
    await press("Sign out");
    await heading("Sign in");
    assert.deepEqual(await context.cookies(), []);
    const old = await fetch(`${desk.url}/api/v1/admin/printers`, {
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    assert.equal(old.status, 401);
  });
  assert.deepEqual(
    complaints.filter((words) => !/ERR_CERT_AUTHORITY_INVALID/.test(words)),
    [],
  );
});
