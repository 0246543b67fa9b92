import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients } from "../services/lease/engine/test/lab-clients.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { closeMessages } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";

test("two people change the same thing in the lease console", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, go, hold, signIn } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();

  const door = "reservations/10.77.0.50";
  const stored = async () => {
    const { ip, mac, hostname, note, enabled } = (await other("GET", "reservations")).json.items[0];
    return { ip, mac, hostname, note, enabled };
  };
  const theirs = { ip: "10.77.0.50", mac: "02:00:00:00:00:99", hostname: "their-door" };

  await step("a reservation that somebody else has saved meanwhile is shown beside one's own", async () => {
    await go("Reservations");
    await press("Edit 10.77.0.50");
    await dialog.getByLabel("Note").fill("mine");
    assert.equal((await other("PUT", door, { body: theirs })).status, 200);
    await inDialog("Save");
    await dialog.getByText("Reservation of 10.77.0.50 was changed elsewhere").waitFor();
    await dialog.getByRole("cell", { name: theirs.mac }).waitFor();
    assert.deepEqual(await stored(), { ...theirs, note: undefined, enabled: undefined });
    await inDialog("Take theirs");
    await untilEqual(() => dialog.getByLabel("Hardware address").inputValue(), theirs.mac);
    await dialog.getByLabel("Note").fill("mine after all");
    await inDialog("Save");
    await told("10.77.0.50 is reserved.");
    assert.deepEqual(await stored(), { ...theirs, note: "mine after all", enabled: undefined });
  });

  await step("a reservation is not disabled or removed over what somebody else has changed", async () => {
    await page.getByRole("row", { name: /mine after all/ }).waitFor();
    assert.equal((await other("PUT", door, { body: { ...theirs, note: "theirs" } })).status, 200);
    await press("Disable 10.77.0.50");
    await told(/^Somebody else has changed this reservation meanwhile/);
    await page.getByRole("row", { name: /theirs/ }).waitFor();
    assert.deepEqual(await stored(), { ...theirs, note: "theirs", enabled: undefined });
    await press("Disable 10.77.0.50");
    await told("The reservation of 10.77.0.50 is disabled.");
    assert.deepEqual(await stored(), { ...theirs, note: "theirs", enabled: false });
    await press("Enable 10.77.0.50");
    await told("The reservation of 10.77.0.50 is in force.");
    await closeMessages(page);
    assert.equal((await other("PUT", door, { body: theirs })).status, 200);
    await press("Remove 10.77.0.50");
    await inDialog("Remove");
    await told(/^Somebody else has changed this reservation meanwhile/);
    assert.deepEqual(await stored(), { ...theirs, note: undefined, enabled: undefined });
  });

  await step("a device's note and DNS name: what somebody else has said of it stays", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    assert.ok(await clients.join("02:00:00:00:66:01"));
    const [{ ip }] = (await other("GET", "leases?state=active")).json.items;
    const say = (body: object) => other("PATCH", `leases/${ip}`, { body });
    const said = async () => {
      const { note, dns_name } = (await other("GET", `leases/${ip}`)).json;
      return [note, dns_name];
    };
    await page.goto(`${desk.url}/leases?lease=${ip}`);
    await dialog.getByLabel("DNS name").fill("mine");
    assert.equal((await say({ note: "theirs" })).status, 200);
    await page.reload();
    await dialog.getByText("Note and name was changed elsewhere").waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
    await inDialog("Take theirs");
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "theirs");
    await dialog.getByLabel("DNS name").fill("mine");
    await inDialog("Save");
    await told("Saved.");
    assert.deepEqual(await said(), ["theirs", "mine"]);
    // Before the page has seen anything of it.
    await dialog.getByLabel("Note").fill("mine, too");
    assert.equal((await say({ note: "theirs, and longer" })).status, 200);
    await inDialog("Save");
    await dialog.getByText("Note and name was changed elsewhere").waitFor();
    await dialog.getByRole("cell", { name: "theirs, and longer" }).waitFor();
    assert.deepEqual(await said(), ["theirs, and longer", "mine"]);
    await inDialog("Keep mine");
    await inDialog("Save");
    await untilEqual(async () => (await said())[0], "mine, too");
    await untilEqual(() => dialog.getByRole("button", { name: "Save" }).isDisabled(), true);
  });

  await step("a note is not saved on another device that has got the address meanwhile", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    const { config, version } = (await other("GET", "config/full")).json;
    config.subnet[0].pool = [{ range: "10.77.3.9" }];
    const put = await other("PUT", "config/full", {
      body: { config },
      headers: { "if-match": `"${version}"` },
    });
    assert.equal(put.status, 200, put.text);
    const lease = async () => (await other("GET", "leases/10.77.3.9")).json;
    assert.ok(await clients.join("02:00:00:00:aa:01"));
    await page.goto(`${desk.url}/leases?lease=10.77.3.9`);
    await dialog.getByLabel("Note").fill("the laptop of Ada");
    assert.equal((await other("DELETE", "leases/10.77.3.9")).status, 204);
    assert.ok(await clients.join("02:00:00:00:bb:02"));
    await dialog.getByText("10.77.3.9 has another device now").waitFor();
    await dialog.getByText("the laptop of Ada", { exact: true }).waitFor();
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "");
    await dialog.getByLabel("Note").fill("the phone of Bob");
    await inDialog("Save");
    await untilEqual(async () => (await lease()).note, "the phone of Bob");
    assert.equal((await lease()).mac, "02:00:00:00:bb:02");
    assert.equal((await other("DELETE", "leases/10.77.3.9")).status, 204);
    assert.ok(await clients.join("02:00:00:00:aa:01"));
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "the laptop of Ada");
    assert.equal((await lease()).note, null);
    assert.equal(await dialog.getByText("has another device now").count(), 0);
  });

  await step("what was asked of one device is not done to another that has got its address", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    const state = async () => {
      const { mac, state, reserved } = (await other("GET", "leases/10.77.3.9")).json;
      return [mac, state, reserved];
    };
    const handOver = async (mac: string) => {
      assert.equal((await other("DELETE", "leases/10.77.3.9")).status, 204);
      assert.ok(await clients.join(mac));
    };
    await page.goto(`${desk.url}/leases`);
    await press("Release 10.77.3.9");
    await handOver("02:00:00:00:bb:02");
    await inDialog("Release");
    await told("Another device has that address meanwhile");
    assert.deepEqual(await state(), ["02:00:00:00:bb:02", "active", false]);

    await page.getByRole("checkbox", { name: "Tick 10.77.3.9" }).check();
    await press("Release");
    await handOver("02:00:00:00:aa:01");
    await inDialog("Release 1 lease");
    await told("1 was left: its address has another device");
    assert.deepEqual(await state(), ["02:00:00:00:aa:01", "active", false]);

    // One's own note on what is ticked makes it no other device.
    await page.getByRole("checkbox", { name: "Tick 10.77.3.9" }).check();
    await press("Why 10.77.3.9");
    await dialog.getByLabel("Note").fill("said meanwhile");
    await inDialog("Save");
    await told("Saved.");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await press("Release");
    await inDialog("Release 1 lease");
    await told("1 lease is released.");
    assert.ok(await clients.join("02:00:00:00:aa:01"));
    await page.getByRole("button", { name: "Release 10.77.3.9" }).waitFor();

    const reserve = await hold("POST", /\/reserve$/);
    await press("Reserve 10.77.3.9 for this device");
    await reserve.asked;
    await handOver("02:00:00:00:bb:02");
    await reserve.letGo();
    await told("Another device has that address meanwhile");
    assert.deepEqual(await state(), ["02:00:00:00:bb:02", "active", false]);
  });

  await step("only leases that are shown are released", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    const { config, version } = (await other("GET", "config/full")).json;
    config.subnet[0].pool = [{ range: "10.77.4.1 - 10.77.4.9" }];
    const headers = { "if-match": `"${version}"` };
    assert.equal((await other("PUT", "config/full", { body: { config }, headers })).status, 200);
    for (const last of [1, 2, 3]) assert.ok(await clients.join(`02:00:00:00:cc:0${last}`));
    const held = async () =>
      (await other("GET", "leases?state=active&q=02:00:00:00:cc")).json.items.map(
        ({ mac }: { mac: string }) => mac,
      );
    const [one, two, three]: string[] = await held();
    const ipOf = async (mac: string | undefined) =>
      (await other("GET", `leases?q=${mac}`)).json.items.at(0).ip;

    // A row that has left the list is no longer ticked.
    await page.goto(`${desk.url}/leases?state=active&q=02:00:00:00:cc`);
    const all = page.getByRole("checkbox", { name: "Tick all rows that are loaded" });
    await page.getByRole("row", { name: three ?? "" }).waitFor();
    await all.check();
    await page.getByText("3 ticked", { exact: true }).waitFor();
    const released = await ipOf(one);
    assert.equal((await other("DELETE", `leases/${released}`)).status, 204);
    await page.getByText("2 ticked", { exact: true }).waitFor();
    await untilEqual(() => all.isChecked(), true);

    // While the rows of another filter stand, none is ticked, and none can be.
    const asked = await hold("GET", /\/leases$/);
    await page.getByRole("searchbox").fill(two ?? "");
    await asked.asked;
    await untilEqual(() => page.getByRole("grid", { name: "Leases" }).getAttribute("aria-busy"), "true");
    assert.equal(await page.getByText(/\d ticked/).count(), 0);
    await all.click();
    const row = page.getByRole("row", { name: three ?? "" });
    await row.focus();
    await page.keyboard.press("Space");
    await row.getByRole("checkbox").click();
    assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 0);
    await asked.letGo();
    await row.waitFor({ state: "detached" });
    assert.equal(await page.getByText(/\d ticked/).count(), 0);
    await all.check();
    await press("Release");
    await inDialog("Release 1 lease");
    await told("1 lease is released.");
    assert.deepEqual(await held(), [three]);
  });

  journey.nothingToComplain();
});
