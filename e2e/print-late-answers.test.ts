import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { closeMessages, complaintsOf } from "./console-journey.ts";
import { BADGE, DOCK, printDesk } from "./print-desk.ts";
import { heldWrites } from "./routed.ts";

test("an answer of the bridge that comes late takes nobody away from where they went", async (t) => {
  const desk = await printDesk(t);
  const browser = await startChromium(t);
  if (!browser) return;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const { admin } = desk;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const name = page.getByLabel("Name", { exact: true });
  const go = async (to: string) => {
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: to, exact: true })
      .click();
    const there = page.getByRole("heading", { level: 1, name: to });
    const asked = page.getByRole("button", { name: "Leave", exact: true });
    await there.or(asked).waitFor();
    if (await asked.count()) await asked.click();
    await there.waitFor();
  };
  /** Acts while the answer to what the page writes there is on its way, and waits for the words that tell of it. */
  const late = async (path: string, order: () => Promise<void>, act: () => Promise<void>, words: string) => {
    const write = await heldWrites(page, `**/api/v1/admin/${path}`);
    await order();
    await write.sent();
    await act();
    await write.letGo();
    await page.getByText(words).first().waitFor();
    await closeMessages(page);
  };
  const isAt = (path: string) => assert.equal(new URL(page.url()).pathname, path);
  await admin("PUT", "printers/dock", DOCK);
  await admin("PUT", "templates/badge", BADGE);
  await admin("POST", "printers/dock/test");
  await page.goto(`${desk.url}/templates/badge`);
  await page.getByLabel("Administrator's token").fill(desk.token);
  await press("Sign in");

  await t.test("a template that is removed", async () => {
    const remove = async () => {
      await press("Remove this template");
      await inDialog("Remove the template");
    };
    await late("templates/badge", remove, () => go("Jobs"), "is removed");
    isAt("/jobs");
  });

  await t.test("a new template; the next one that is begun meanwhile stays a new one", async () => {
    await page.goto(`${desk.url}/templates/~new`);
    await name.fill("Slow");
    const begin = async () => {
      await go("Templates");
      await page.goBack();
      await name.fill("Next");
    };
    await late("templates/slow", () => press("Save"), begin, "Saved as version 1");
    isAt("/templates/~new");
    assert.equal(await name.inputValue(), "Next");
    await page.reload();
    await untilEqual(() => name.inputValue(), "Next");
    await page.goto(`${desk.url}/templates/slow`);
    await untilEqual(() => name.inputValue(), "Slow");
  });

  await t.test("a new printer", async () => {
    await page.goto(`${desk.url}/printers/~new`);
    await name.fill("Ramp");
    await page.getByLabel("How it is reached").selectOption("virtual");
    await late(
      "printers/ramp",
      () => press("Add the printer"),
      () => go("Jobs"),
      "is added",
    );
    isAt("/jobs");
  });

  await t.test("a job that is printed again", async () => {
    let jobs: Array<{ job_id: string; state: string }> = [];
    await until("the label is printed", async () => {
      ({ jobs } = await admin("GET", "jobs"));
      return jobs[0]?.state === "Done";
    });
    await page.goto(`${desk.url}/jobs/${jobs[0]?.job_id}`);
    const again = async () => {
      await press("Print again");
      await inDialog("Print again");
    };
    await late("jobs/*/reprint", again, () => go("Printers"), "on its way again");
    isAt("/printers");
  });

  await t.test("a printer keeps its address while another way to it is looked at", async () => {
    const far = {
      ...DOCK,
      id: "far",
      name: "Far",
      transport: "tcp",
      address: "127.0.0.1:9",
      feedback: "none",
    };
    await admin("PUT", "printers/far", far);
    await page.goto(`${desk.url}/printers/far`);
    const how = page.getByLabel("How it is reached");
    const address = page.getByLabel("Address", { exact: true });
    await page.getByRole("checkbox", { name: "EPL" }).check();
    assert.equal(await page.getByLabel(/learns what became/).inputValue(), "none", "chosen by hand");
    await how.selectOption("virtual");
    await how.selectOption("tcp");
    assert.equal(await address.inputValue(), far.address);
    await address.fill("");
    await page.getByText("Still missing: the address").waitFor();
    await how.selectOption("virtual");
    await press("Save");
    await page.getByText("Saved.").waitFor();
    const { printers } = await admin("GET", "printers");
    const saved = printers.find(({ id }: { id: string }) => id === "far");
    assert.deepEqual([saved.transport, saved.address], ["virtual", ""]);
    await closeMessages(page);
  });

  await t.test("a template is tried on the printer that is shown", async () => {
    await admin("PUT", "printers/both", { ...DOCK, id: "both", name: "Both", languages: ["zpl", "epl"] });
    await admin("PUT", "templates/slip", { ...BADGE, id: "slip", name: "Slip" });
    await page.goto(`${desk.url}/templates/slip`);
    const on = page.getByLabel("On", { exact: true });
    await on.selectOption("dock");
    await page.getByLabel("Language", { exact: true }).selectOption("epl");
    await press("Save");
    await page.getByText("Saved as version 2").first().waitFor();
    await untilEqual(() => on.inputValue(), "both");
    const asked = page.waitForRequest("**/templates/slip/print");
    await press("Print one");
    assert.equal((await asked).postDataJSON().printer, "both");
    await closeMessages(page);
  });

  await t.test("a printer that is removed", async () => {
    await page.goto(`${desk.url}/printers/ramp`);
    const remove = async () => {
      await press("Remove this printer");
      await inDialog("Remove the printer");
    };
    await late("printers/ramp", remove, () => go("Jobs"), "is removed");
    isAt("/jobs");
  });

  await t.test("an origin that is let in by hand: what is typed since is the next one", async () => {
    await page.goto(`${desk.url}/origins`);
    const origin = page.getByLabel("Origin", { exact: true });
    await origin.fill("https://one.example");
    await late(
      "origins",
      () => press("Let it in and make a token"),
      () => origin.fill("https://two.example"),
      "I have kept it",
    );
    await press("I have kept it");
    await page.getByRole("article", { name: "https://one.example" }).waitFor();
    assert.equal(await origin.inputValue(), "https://two.example");
    await press("Let it in and make a token");
    await press("I have kept it");
    await untilEqual(() => origin.inputValue(), "");
  });
  assert.deepEqual(complaints, []);
});
