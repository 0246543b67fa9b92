import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients } from "../services/lease/engine/test/lab-clients.ts";
import { simulate } from "../services/lease/manager/src/adapters/simulate.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { closeMessages, readable, settled } from "./console-journey.ts";
import { reachesEverything } from "./keyboard.ts";
import { leaseJourney } from "./lease-journey.ts";
import { keepPicture } from "./pictures.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";

test("the lease console: dashboard, leases, activity and logs", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, told, go, signIn, signOut, closeDialog, onAPhone } = journey;
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const leases = page.getByRole("grid", { name: "Leases" });
  const rowOf = (words: string) => leases.getByRole("row").filter({ hasText: words });

  await step("who signs in sees the engine, and where there is no lease yet, the line to paste", async () => {
    await page.goto(desk.url);
    await readable(page);
    await signIn("admin", PASSWORD);
    await told("Healthy");
    await told("10.77.1.1 – 10.77.1.250");
    await readable(page);
    await press("Copy the command");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, "npx frontdesk lease simulate --clients 50");
  });

  await step("fifty devices come: the dashboard shows it by itself", async () => {
    const events = page.getByRole("table", { name: "Newest events" });
    assert.deepEqual(await simulate(`127.0.0.1:${desk.dhcp}`, 50), { leases: 50, refused: 0, silent: 0 });
    await events.getByText("Granted").first().waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await told("200 of 250");
    await page.getByRole("heading", { name: "No leases yet" }).waitFor({ state: "detached" });
    await page.getByRole("table", { name: "New devices today" }).getByRole("link").first().waitFor();
    await told("And 40 more.");
    await page.getByRole("figure", { name: "Messages in each half minute" }).waitFor();
    await readable(page);
    await keepPicture(page, "lease-dashboard");
    await onAPhone();
  });

  await step("the map of a subnet shows which addresses are held", async () => {
    await go("Subnets");
    await press("Show the address map of 10.77.0.0/16");
    await press(/^From 10\.77\.1\.0: 50 held, 250 in pools$/);
    await page.getByRole("table", { name: "Addresses of 10.77.0.0/16" }).waitFor();
    await keepPicture(page, "lease-subnets");
  });

  await step("a lease appears in the list as its device gets it, and its name stays a text", async () => {
    await go("Leases");
    await told("50 rows");
    await keepPicture(page, "lease-leases");
    const named: Array<[number, Uint8Array]> = [
      [CODE.hostName, textBytes(HOSTILE)],
      [CODE.vendorClass, textBytes("Vendor <b>1</b>")],
    ];
    const mac = "02:00:00:00:66:01";
    const offer = await clients.ask(TYPE.discover, mac, named);
    const ack = await clients.ask(TYPE.request, mac, [
      ...named,
      [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ]);
    assert.equal(ack?.type, TYPE.ack);
    await told("51 rows");
    await page.getByLabel("Search").fill(mac);
    await told("1 row");
    assert.match(page.url(), /q=02%3A00/);
    await rowOf("Vendor <b>1</b>").waitFor();
    assert.equal(await leases.locator("img, b").count(), 0);
    await readable(page);
    await onAPhone();
    await leases.getByRole("button", { name: /^Why / }).click();
    await dialog.getByText("It has no reservation.").waitFor();
    // Back closes it, as people on a phone expect, and leaves the list as it was.
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await told("1 row");
  });

  await step("search as one types: the address of the page keeps it", async () => {
    await page.getByLabel("Search").fill("scanner");
    await told("7 rows");
    await page.getByLabel("State").selectOption("expired");
    await told("Nothing fits");
    await page.getByLabel("State").selectOption("active");
    await told("7 rows");
    await page.reload();
    await told("7 rows");
    await untilEqual(() => page.getByLabel("Search").inputValue(), "scanner");
  });

  await step("why: the engine's steps, in order; a note and a name are kept", async () => {
    const asked = page.waitForRequest(/\/api\/v1\/explain$/);
    await leases.getByRole("button", { name: /^Why / }).first().click();
    assert.equal((await asked).postDataJSON().interface, "lab", "asked through the device's own interface");
    await dialog.getByText("It has no reservation.").waitFor();
    await dialog.getByText("Granted", { exact: true }).waitFor();
    await dialog.getByText(/^By the configuration/).waitFor();
    await dialog.getByText(/^It would get 10\.77\.1\.\d+ for 1 hr\.$/).waitFor();
    await readable(page);
    await keepPicture(page, "lease-why");
    await dialog.getByLabel("DNS name").fill("not a name");
    await dialog.getByText("A name has letters, digits and hyphens, in parts between dots.").waitFor();
    await dialog.getByLabel("DNS name").fill("gate4");
    await dialog.getByLabel("Note").fill("the scanner at gate 4");
    // Closed by mistake: what was typed is there again.
    await closeDialog();
    await leases.getByRole("button", { name: /^Why / }).first().click();
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "the scanner at gate 4");
    await dialog.getByRole("button", { name: "Save" }).click();
    await told("Saved.");
    await onAPhone();
    await closeDialog();
    await rowOf("the scanner at gate 4").getByText("gate4").waitFor();
  });

  await step("reserved in one click, then released by filter: the reserved one stays", async () => {
    const noted = rowOf("the scanner at gate 4");
    await noted.getByRole("button", { name: /^Reserve / }).click();
    await noted.getByText("Reserved", { exact: true }).waitFor();
    assert.match(readFileSync(desk.configPath, "utf8"), /# The door opener must never move\.[\s\S]*scanner-/);
    await press("Release what is shown");
    await dialog.getByText(/^6 active leases fit the search\./).waitFor();
    await readable(page);
    await dialog.getByRole("button", { name: "Release 6 leases" }).click();
    await told("6 leases are released.");
    await told("1 row");
    await noted.waitFor();
  });

  await step("devices are told to renew: how far they are is shown until they have", async () => {
    await press("Renew what is shown");
    await dialog.getByRole("button", { name: "Have them renew" }).click();
    const rollout = page.getByRole("region", { name: "Devices that renew" });
    await rollout.getByText("1 cannot be told and renews by itself").waitFor();
    await rollout.getByRole("button", { name: "Show those that have not renewed" }).click();
    await rollout.getByRole("table", { name: "Devices that have not renewed" }).waitFor();
    await readable(page);
    await keepPicture(page, "lease-rollout");
    await onAPhone();
    const [lease] = (await (await desk.signedIn())("GET", "leases?q=scanner&state=active")).json.items;
    assert.ok(await clients.renew(lease.mac, lease.ip));
    await rollout.getByText("All of them have renewed").waitFor();
  });

  await step("one is released by its button, others by ticking them", async () => {
    await page.getByLabel("Search").fill("camera");
    await told("6 rows");
    await leases
      .getByRole("button", { name: /^Release / })
      .first()
      .click();
    await dialog.getByRole("button", { name: "Release", exact: true }).click();
    await told(/^10\.77\.1\.\d+ is released\.$/);
    await told("5 rows");
    await closeMessages(page);
    for (const at of [0, 1])
      await leases
        .getByRole("checkbox", { name: /^Tick 10/ })
        .nth(at)
        .check();
    await told("2 ticked");
    // Rows that are ticked and no longer shown would be released unseen.
    await page.getByLabel("Search").fill("printer");
    await page.getByText("2 ticked").waitFor({ state: "detached" });
    await page.getByLabel("Search").fill("camera");
    await told("5 rows");
    await told("2 ticked");
    await press("Release");
    await dialog.getByRole("button", { name: "Release 2 leases" }).click();
    await told("2 leases are released.");
    await told("3 rows");
  });

  await step("activity: newest first, by address and by kind; what happens shows by itself", async () => {
    await go("Activity");
    const history = page.getByRole("grid", { name: "Activity" });
    await history.getByRole("row").nth(1).getByText("Released", { exact: true }).waitFor();
    await history.getByText("Released by hand.").first().waitFor();
    await clients.join("02:00:00:00:66:02");
    await history.getByRole("row").nth(1).getByText("02:00:00:00:66:02").waitFor();
    await readable(page);
    await keepPicture(page, "lease-activity");
    await onAPhone();
    await page.getByRole("combobox", { name: "What" }).selectOption("release");
    await told("9 rows");
    await page.getByRole("combobox", { name: "What" }).selectOption("");
    await page.getByRole("textbox", { name: "Hardware address" }).fill("0200.0000.6602");
    await told("1 row");
  });

  await step("a device: what it is known by, its addresses, and its timeline", async () => {
    await page
      .getByRole("grid", { name: "Activity" })
      .getByRole("link", { name: "02:00:00:00:66:02" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Device" }).waitFor();
    const addresses = page.getByRole("table", { name: "Addresses" });
    await addresses.getByRole("link", { name: /^10\.77\.1\.\d+$/ }).waitFor();
    await page.getByRole("grid", { name: "What happened" }).getByText("Granted").waitFor();
    await readable(page);
    await keepPicture(page, "lease-device");
    await onAPhone();
    await addresses.getByRole("link").click();
    await dialog.getByRole("link", { name: "All of this device" }).click();
    await page.getByRole("heading", { level: 1, name: "Device" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
  });

  await step("who held an address; the history as CSV", async () => {
    const ip = await page.getByRole("grid", { name: "Activity" }).getByRole("link").first().textContent();
    await page.getByRole("textbox", { name: "The address" }).fill(ip ?? "");
    await press("Find out");
    const answer = page.getByRole("region", { name: "Who held an address" });
    await answer.getByText("02:00:00:00:66:02").waitFor();
    await readable(page);
    await page.getByRole("textbox", { name: "The address" }).fill("10.77.0.99");
    await press("Find out");
    await answer.getByText(/^Nobody held 10\.77\.0\.99/).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ]);
    const lines = readFileSync(await saved.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    assert.equal(lines.length, 2, "the title and the one event that is shown");
    assert.match(lines[1] ?? "", /02:00:00:00:66:02/);
  });

  await step("logs: by level and words, with details, and still while paused", async () => {
    await go("Logs");
    const lines = page.getByRole("grid", { name: "Logs" });
    await lines.getByText("serving").waitFor();
    await readable(page);
    await onAPhone();
    await lines.getByRole("button", { name: "Details of: serving" }).click();
    await dialog.getByText("leases", { exact: true }).waitFor();
    await readable(page);
    await closeDialog();
    await press("Pause");
    await told("Paused: what was logged since is not shown.");
    await press("Go on");
    await page.getByLabel("Of the client").fill("02:00:00:00:00:99");
    await told("Nothing fits");
    await page.getByLabel("Of the client").fill("");
    await lines.getByText("serving").waitFor();
    await page.getByLabel("With the words").fill("no line says this");
    await told("Nothing fits");
  });

  await step("by keyboard alone: everything on every page is reached, and shows that it is", async () => {
    // One row of a list stands for all.
    const mac = encodeURIComponent("02:00:00:00:66:01");
    const lists = [`leases?q=${mac}`, `activity?mac=${mac}`, `device?id=${mac}`];
    const pages = ["dashboard", "subnets", "reservations", "logs", "users", "settings", "system", "help"];
    for (const path of [...lists, ...pages]) {
      await page.goto(`${desk.url}/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await reachesEverything(page);
    }
  });

  await step("a viewer sees all of it, and nothing that writes", async () => {
    const admin = await desk.signedIn();
    const body = { username: "vera", password: "the password of vera", role: "viewer" };
    assert.equal((await admin("POST", "users", { body })).status, 201);
    await signOut();
    await signIn("vera", body.password);
    await go("Leases");
    await page.getByLabel("Search").fill("camera");
    await leases.getByRole("button", { name: /^Why / }).first().waitFor();
    assert.equal(await page.getByRole("button", { name: /Release|Reserve/ }).count(), 0);
    assert.equal(await page.getByRole("checkbox").count(), 0);
    await leases.getByRole("button", { name: /^Why / }).first().click();
    await dialog.getByText("It has no reservation.").waitFor();
    assert.equal(await dialog.getByRole("textbox").count(), 0);
    await page.keyboard.press("Escape");
  });

  await step("a stopped engine is told, and one that is back", async () => {
    const admin = await desk.signedIn();
    await go("Dashboard");
    await told("Healthy");
    await journey.withoutEngine(async () => {
      assert.equal((await admin("POST", "engine/stop")).status, 200);
      await told("Nobody gets an address until it runs again.");
      await readable(page);
      assert.equal((await admin("POST", "engine/start")).status, 200);
      await told("Healthy");
    });
  });

  journey.nothingToComplain();
});
