import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { untilEqual } from "@frontdesk/testkit/until";
import { complaintsOf, fits, readable } from "./console-journey.ts";
import { printDesk } from "./print-desk.ts";

const PRINTERS = 130;

test("an administrator finds in the audit log who changed what and when", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const put = async (id: string, name: string) => {
    const { status } = await fetch(`${desk.url}/api/v1/admin/printers/${id}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${desk.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        id,
        name,
        transport: "virtual",
        address: "",
        languages: ["zpl"],
        dpmm: 8,
        rfid: false,
        feedback: "printer",
        widthMm: 100,
        heightMm: 50,
      }),
    });
    assert.equal(status, 200);
  };
  const row = (words: RegExp) => page.getByRole("row", { name: words });
  const found = (words: string) => page.getByRole("status").filter({ hasText: words }).waitFor();
  for (let n = 0; n < PRINTERS; n++) await put(`p${n}`, `Printer ${n}`);
  await page.goto(`${desk.url}/audit`);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();

  await t.test("each entry tells when exactly, who and what", async () => {
    await found("132 rows");
    const signedIn = row(/Browser [0-9a-f]{8}.*Signed in.*browser: Mozilla/);
    const time = (await signedIn.locator("time").textContent()) ?? "";
    assert.match(time, /\d{1,2}:\d\d:\d\d/, "to the second");
    await row(/A program with the administrator's token.*Printer added: p129.*name: Printer 129/).waitFor();
    await fits(page);
    await readable(page);
  });

  await t.test("more is fetched on the way down, to the first start", async () => {
    await row(/Signed in/).focus();
    await page.keyboard.press("End");
    await row(/Printer added: p30\b/).waitFor();
    await page.keyboard.press("End");
    await row(/The bridge, at its first start.*Printer added: virtual/).waitFor();
  });

  await t.test("a change shows up by itself, with what was and what is", async () => {
    await page.evaluate(() => window.scrollTo(0, 0));
    await put("p7", "Depot");
    await row(/Printer changed: p7.*name: Printer 7 → Depot/).waitFor();
  });

  await t.test("filters are held in the address", async () => {
    await page.getByLabel("Show").selectOption("Sign-ins");
    await found("1 row");
    assert.equal(new URL(page.url()).search, "?kind=session");
    await page.getByLabel("Show").selectOption("Everything");
    await page.getByLabel("Search").fill("p12");
    await found("11 rows");
    await page.reload();
    await found("11 rows");
    await untilEqual(() => page.getByLabel("Search").inputValue(), "p12");
    await page.getByLabel("Search").fill("nobody");
    await page.getByText("Nothing fits").waitFor();
    await page.goto(`${desk.url}/audit?kind=nonsense`);
    await found("133 rows");
  });

  await t.test("on a phone it fits and can be read", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await row(/Printer changed: p7/).waitFor();
    await fits(page);
    await readable(page);
  });
  assert.deepEqual(complaints, []);
});
