import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { untilEqual } from "@frontdesk/testkit/until";
import { na, pd } from "../services/lease/engine/test/desk6.ts";
import { LabClients6 } from "../services/lease/engine/test/lab-clients6.ts";
import { PASSWORD, SUBNET } from "../services/lease/manager/test/manager-desk.ts";
import { readable } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";

const NETWORK = "fd77::/64";
const DUID = "00:03:00:01:02:00:00:00:00:61";

test("DHCPv6 is set up and seen in the lease console", async (t) => {
  const port = await freePort();
  const journey = await leaseJourney(t, { subnet: `listen6 = ["[::1]:${port}"]\n\n${SUBNET}` });
  if (!journey) return;
  const { desk, page, dialog, step, press, told, section, go, signIn, inDialog, withoutEngine, onAPhone } =
    journey;
  const admin = await desk.signedIn();
  const writeFile = async (change: (text: string) => string) => {
    const { headers, text } = await admin("GET", "config");
    const put = await admin("PUT", "config", {
      body: change(text),
      headers: { "if-match": String(headers.etag) },
    });
    assert.equal(put.status, 200, put.text);
  };
  let leases: string[] = [];
  const file = () => readFileSync(desk.configPath, "utf8");
  const subnet = section(NETWORK);
  const pools = subnet.getByRole("table", { name: "Pools" });
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);

  await step("a subnet of IPv6 is added with pools of addresses and of prefixes", async () => {
    await go("Subnets");
    await press("Add a subnet");
    const form = section("New subnet");
    await form.getByLabel("Network", { exact: true }).fill(NETWORK);
    await form.getByLabel("Lease time, in seconds").fill("900");
    await form.getByRole("button", { name: "Add a pool", exact: true }).click();
    await form.getByLabel("Range").fill("fd77::1000 - fd77::1fff");
    await form.getByRole("button", { name: "Add a pool of prefixes" }).click();
    await form.getByLabel("Prefix", { exact: true }).fill("fd77:1::/48");
    const length = form.getByLabel("Length of each that is delegated");
    await length.fill("40");
    await form.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => length.getAttribute("aria-invalid"), "true");
    await form.getByText("Must be at least that of fd77:1::/48.", { exact: true }).waitFor();
    assert.equal(await form.locator("p[role=alert]").count(), 0, "told once");
    await length.fill("56");
    await form.getByRole("button", { name: "Save and apply" }).click();
    await subnet.getByText("DHCPv6 is switched off: nobody gets an address or a prefix here.").waitFor();
    assert.match(file(), /network = "fd77::\/64"\nvalid_time = 900\n/);
    assert.match(file(), /prefix = "fd77:1::\/48"\n +delegated_length = 56/);
    assert.doesNotMatch(file(), /default_time/);
    await readable(page);
  });

  await step("once DHCPv6 is served, the use of both is shown", async () => {
    await subnet.getByRole("link", { name: "Switch it on in the settings" }).click();
    const settings = section("DHCPv6");
    await settings.getByLabel("Serve DHCPv6").selectOption("Yes");
    await settings.getByRole("button", { name: "Save and apply" }).click();
    await told(/restart/);
    await go("System");
    await withoutEngine(async () => {
      await press("Restart");
      await inDialog("Restart it");
      await told("The engine is restarted.");
      await told("It does its whole job.");
    });
    const clients = await LabClients6.open(port);
    t.after(() => clients.close());
    const reply = await clients.join({ duid: DUID, ias: [na(1), pd(2)] });
    leases = reply?.leases.map(([, ip]) => ip) ?? [];
    assert.equal(leases.length, 2);
    await go("Subnets");
    for (const range of ["fd77::1000 – fd77::1fff", "fd77:1::/56 – fd77:1:0:ff00::/56"])
      await pools.getByRole("row", { name: range }).getByText("1 lease", { exact: true }).waitFor();
    assert.equal(await subnet.getByText("DHCPv6 is switched off").count(), 0);
    await readable(page);
    await onAPhone();
    await go("Leases");
    for (const lease of leases) await page.getByRole("row").filter({ hasText: lease }).waitFor();
  });

  const events = page.getByRole("grid", { name: "Activity" }).locator("tbody tr");
  await step("the history of an address or a prefix is its own, and tells the DUID", async () => {
    for (const lease of leases) {
      await page.goto(`${desk.url}/leases?lease=${encodeURIComponent(lease)}`);
      await dialog.getByRole("link", { name: "History of this address" }).click();
      await events.first().waitFor();
      assert.equal(await page.getByLabel("Address", { exact: true }).inputValue(), lease);
      assert.equal(await events.count(), 1);
      assert.match((await events.textContent()) ?? "", new RegExp(`${lease}${DUID}`));
      const csv = page.getByRole("link", { name: "Download as CSV" });
      const ip = new URL((await csv.getAttribute("href")) ?? "", desk.url).searchParams.get("ip");
      assert.equal(ip, lease);
    }
    await onAPhone();
    const held = section("Who held an address");
    for (const lease of leases) {
      await held.getByLabel("The address").fill(lease.toUpperCase());
      await held.getByRole("button", { name: "Find out" }).click();
      await held.getByText(lease.toUpperCase(), { exact: true }).waitFor();
      await held.getByText(DUID, { exact: true }).waitFor();
    }
    await page.goto(`${desk.url}/activity?ip=somewhere`);
    await told("An IPv4 address has four numbers");
  });

  await step("why: what the device would get now is decided as DHCPv6 does it", async () => {
    for (const lease of leases) {
      await page.goto(`${desk.url}/leases?lease=${encodeURIComponent(lease)}`);
      await dialog.getByText(`It would get ${lease} for`).waitFor();
    }
  });

  await step("what a device of DHCPv6 has is reserved for it by a click, and edited", async () => {
    const [address = "", prefix = ""] = leases;
    await page.goto(`${desk.url}/leases?lease=${encodeURIComponent(address)}`);
    await dialog.getByRole("link", { name: "All of this device" }).click();
    await page.getByRole("heading", { level: 1, name: "Device" }).waitFor();
    await page.getByRole("definition").getByText(DUID, { exact: true }).waitFor();
    await go("Leases");
    await press(`Reserve ${prefix} for this device`);
    await told(`${prefix} is reserved`);
    await go("Reservations");
    await press(`Edit ${prefix}`);
    const field = dialog.getByLabel("Address", { exact: true });
    await dialog.getByLabel("Note").fill("the router");
    await field.fill("fd77:1::");
    await dialog.getByLabel("Note").focus();
    await dialog.getByText("A prefix is an IPv6 address with its length").waitFor();
    const other = prefix === "fd77:1:0:4200::/56" ? "fd77:1:0:4300::/56" : "fd77:1:0:4200::/56";
    await field.fill(other);
    await inDialog("Save");
    await told(`${other} is reserved.`);
    assert.match(file(), new RegExp(`prefix = "${other}"\n +duid = "${DUID}"\n +note = "the router"`));
    assert.equal((await admin("DELETE", `reservations/${encodeURIComponent(other)}`)).status, 204);
  });

  await step("what a form does not show of a pool of prefixes stays", async () => {
    await writeFile((text) =>
      text.replace("delegated_length = 56", "delegated_length = 56\n  exclude_length = 64"),
    );
    await page.goto(`${desk.url}/subnets`);
    await press(`Edit ${NETWORK}`);
    await subnet.getByLabel("Length of each that is delegated").fill("60");
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => /delegated_length = 60\n +exclude_length = 64/.test(file()), true);
  });

  await step("a network that is written in another way has its pools and its leases", async () => {
    await writeFile((text) => text.replace(`network = "${NETWORK}"`, 'network = "FD77:0::/64"'));
    await page.goto(`${desk.url}/subnets`);
    const written = section("FD77:0::/64");
    await written.getByRole("row", { name: "fd77::1000 – fd77::1fff" }).getByText("1 lease").waitFor();
    await press("Remove FD77:0::/64");
    await dialog.getByText("2 leases are affected").waitFor();
    await inDialog("Cancel");
  });
  journey.nothingToComplain();
});
