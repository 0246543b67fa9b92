import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import { change, RECORD } from "../services/lease/engine/src/ddns/dns-message.ts";
import { octetsOf } from "../services/lease/engine/src/ddns/name-plan.ts";
import { createNameUpdates } from "../services/lease/engine/src/ddns/name-updates.ts";
import { createUpdateExchange } from "../services/lease/engine/src/ddns/update-exchange.ts";
import { startBind } from "../services/lease/engine/test/bind.ts";
import { section as ddnsSection } from "../services/lease/engine/test/ddns-desk.ts";
import { FORWARD, REVERSE } from "../services/lease/engine/test/dns-server.ts";
import { simulate } from "../services/lease/manager/src/adapters/simulate.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { closeMessages, readable } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";
import { keepPicture } from "./pictures.ts";
import { routed, unrouted } from "./routed.ts";

const MISTAKE = 'range = "10.77.1.1 - 10.99.1.250"';

test("an administrator runs the DHCP engine by the console", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, inDialog, told, section, go, signIn, signOut, onAPhone, withoutEngine } =
    journey;
  const file = () => readFileSync(desk.configPath, "utf8");
  /** Good to read in the light, in the dark and on a phone. */
  const good = async () => {
    await readable(page);
    await onAPhone();
  };

  await step("the administrator signs in over https", async () => {
    await page.goto(desk.url);
    await signIn("admin", PASSWORD);
  });

  await step("a reservation is added; a conflict is told at its field", async () => {
    await go("Reservations");
    await press("Add a reservation");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address", { exact: true }).fill("10.77.0.50");
    await dialog.getByLabel("Hardware address").fill("02-00-00-00-00-51");
    await inDialog("Save");
    await dialog.getByText("That address is reserved already.").first().waitFor();
    await dialog.getByLabel("Address", { exact: true }).fill("10.77.0.51");
    await dialog.getByLabel("Hardware address").fill("02:00:00:00:00:50");
    await inDialog("Save");
    await dialog.getByText("That device has a reservation in the same subnet already.").first().waitFor();
    await readable(page);
    await dialog.getByLabel("Hardware address").fill("02:00:00:00:00:51");
    await dialog.getByLabel("Host name").fill("<b>lobby</b>");
    await dialog.getByLabel("Note").fill("at the window");
    // Closed by mistake: what was typed is there again.
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await press("Add a reservation");
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "at the window");
    await inDialog("Save");
    await told("10.77.0.51 is reserved.");
    assert.match(file(), /# The door opener must never move\./);
    assert.match(file(), /ip = "10\.77\.0\.51"/);
    await page.getByRole("row", { name: /10\.77\.0\.51.*<b>lobby<\/b>.*Unused.*at the window/ }).waitFor();
    await good();
  });

  await step("a reservation is disabled, found, downloaded and removed", async () => {
    await press("Disable 10.77.0.51");
    await told("The reservation of 10.77.0.51 is disabled.");
    assert.match(file(), /enabled = false/);
    await page.getByLabel("Search").fill("lobby");
    await untilEqual(() => page.getByRole("row").count(), 2);
    const downloading = page.waitForEvent("download");
    await press("Download as CSV");
    const csv = readFileSync(await (await downloading).path(), "utf8");
    assert.match(
      csv,
      /10\.77\.0\.51,02:00:00:00:00:51,,,,,,<b>lobby<\/b>,at the window,false,10\.77\.0\.0\/16/,
    );
    await press("Remove 10.77.0.51");
    await inDialog("Remove");
    await told("10.77.0.51 is not reserved any more.");
    assert.doesNotMatch(file(), /10\.77\.0\.51/);
  });

  await step("a CSV file is looked at before it is imported, and taken whole or not at all", async () => {
    const before = file();
    const dialog = page.getByRole("dialog");
    const choose = async (text: string) => {
      await dialog
        .getByLabel("Choose a CSV file")
        .last()
        .setInputFiles({ name: "reservations.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    };
    await page.getByLabel("Search").fill("");
    await press("Import a CSV file");
    await readable(page);
    await choose("ip,mac,hostname\n10.77.0.50,02:00:00:00:00:50,front\n10.99.0.1,02:00:00:00:00:61,away\n");
    await dialog.getByText("1 conflict and 1 to change.").waitFor();
    await dialog.getByText("No subnet has that address. (ip)").waitFor();
    assert.equal(await dialog.getByRole("button", { name: /^Import/ }).count(), 0);
    await good();
    assert.equal(file(), before);
    await inDialog("Take another file");
    await choose("ip,mac,hostname\n10.77.0.50,02:00:00:00:00:50,front\n10.77.0.61,02:00:00:00:00:61,roof\n");
    await inDialog("Import 2 rows");
    await told("Imported: 1 added and 1 changed.");
    await page.getByRole("row", { name: /10\.77\.0\.61.*roof/ }).waitFor();
    assert.match(file(), /# The door opener must never move\./);
    await press("Remove 10.77.0.61");
    await inDialog("Remove");
    await told("10.77.0.61 is not reserved any more.");
  });

  await step("a subnet is added with a pool and an option, changed, and removed", async () => {
    await go("Subnets");
    await section("10.77.0.0/16").getByText("this subnet").waitFor();
    await press("Show the address map of 10.77.0.0/16");
    await press(/^From 10\.77\.1\.0: 0 held, 250 in pools$/);
    await page
      .getByRole("table", { name: "Addresses of 10.77.0.0/16" })
      .getByText("10.77.1.9: free")
      .waitFor();
    await good();
    await press("Hide the address map");
    await press("Add a subnet");
    const form = section("New subnet");
    await form.getByLabel("Network", { exact: true }).fill("10.78.0.0/24");
    await form.getByRole("button", { name: "Add a pool" }).click();
    await form.getByLabel("Range").fill("10.79.0.10 - 10.79.0.20");
    await form.getByRole("button", { name: "Add an option" }).click();
    await form.getByLabel("Option 1", { exact: true }).fill("routers");
    await form.getByLabel("Value 1", { exact: true }).fill("10.78.0.1");
    await form.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => form.getByLabel("Range").getAttribute("aria-invalid"), "true");
    assert.equal(await form.getByText(/^Line \d+/).count(), 0);
    assert.doesNotMatch(file(), /10\.78/);
    await good();
    await form.getByLabel("Range").fill("10.78.0.10 - 10.78.0.20");
    await form.getByRole("button", { name: "Save and apply" }).click();
    const card = section("10.78.0.0/24");
    await card.getByText("10.78.0.10 – 10.78.0.20").waitFor();
    await card.getByText("routers").waitFor();
    await press("Edit 10.78.0.0/24");
    await card.getByLabel("Lease time, in seconds").fill("900");
    await card.getByRole("button", { name: "Save and apply" }).click();
    await card.getByRole("button", { name: "Edit 10.78.0.0/24" }).waitFor();
    assert.match(file(), /default_time = 900/);
    await good();
    await press("Remove 10.78.0.0/24");
    await page.getByRole("dialog").getByText("No lease is affected.").waitFor();
    await inDialog("Remove");
    await card.waitFor({ state: "detached" });
    assert.doesNotMatch(file(), /10\.78/);
    // The last one goes only by typed words; whoever does not type them keeps it.
    await press("Remove 10.77.0.0/16");
    await inDialog("Remove");
    const sure = page.getByRole("dialog", { name: "Are you sure?" });
    await sure.getByText("leave no subnet").waitFor();
    await untilEqual(() => sure.getByRole("button", { name: "Go on" }).isDisabled(), true);
    await readable(page);
    await sure.getByRole("button", { name: "Cancel" }).click();
    await told(/^This is hard to take back\./);
    assert.match(file(), /10\.77\.0\.0\/16/);
  });

  await step(
    "a form changes its line; somebody else's change is shown before it is overwritten",
    async () => {
      await go("Settings");
      const times = section("Lease timings");
      await times.getByLabel("Lease time", { exact: true }).fill("7200");
      await times.getByRole("button", { name: "What it changes" }).click();
      await times.getByText("default_time = 7200").waitFor();
      await times.getByText("No client was heard of within the last 24 hours.").waitFor();
      await keepPicture(page, "lease-settings", { scrolled: true });
      const other = await desk.signedIn();
      const { headers } = await other("GET", "config");
      const body = `${file()}\n[lease]\ndefault_time = 1800\n`;
      const put = await other("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
      assert.equal(put.status, 200, put.text);
      await times.getByRole("button", { name: "Save and apply" }).click();
      await told("Lease timings was changed elsewhere");
      await readable(page);
      await times.getByRole("button", { name: "Keep mine" }).click();
      await times.getByRole("button", { name: "Save and apply" }).click();
      await told("Saved; the engine runs it.");
      assert.equal(file(), body.replace("1800", "7200"));
      await good();
    },
  );

  await step("a mistake in the text is marked at its line and column while one types", async () => {
    await page.getByText("Text (TOML)").click();
    const editor = page.getByRole("textbox", { name: "Configuration, TOML" });
    await told(/No mistakes: 1 subnet/);
    await editor.fill(file().replace('range = "10.77.1.1 - 10.77.1.250"', MISTAKE));
    const line =
      file()
        .split("\n")
        .findIndex((each) => each.includes("range =")) + 1;
    await page.getByRole("button", { name: new RegExp(`line ${line}, column`, "i") }).waitFor();
    await untilEqual(() => page.getByRole("button", { name: "Save and apply" }).isDisabled(), true);
    await good();
    await press("Discard my changes");
    await editor.fill(`${file()}# saved by keys\n`);
    await page.getByText("What saving changes").waitFor();
    await until("Save can be pressed", () =>
      page.getByRole("button", { name: "Save and apply" }).isEnabled(),
    );
    await editor.press("ControlOrMeta+s");
    await until("the file is written", () => file().includes("# saved by keys"));
  });

  await step("a change is tried out, and taken back or kept", async () => {
    const before = file();
    const editor = page.getByRole("textbox", { name: "Configuration, TOML" });
    await editor.fill(before.replace("7200", "3600"));
    await page.getByText("What saving changes").waitFor();
    await press("Try it out");
    await told("A configuration is on trial");
    assert.match(file(), /default_time = 3600/);
    await readable(page);
    await press("Take it back now");
    await told("The engine runs what it ran before.");
    assert.equal(file(), before);
    await editor.fill(before.replace("7200", "3600"));
    await press("Try it out");
    await press("Keep it");
    await told("It stays.");
    assert.match(file(), /default_time = 3600/);
  });

  await step("an earlier version is compared and brought back", async () => {
    await page.getByText("History", { exact: true }).click();
    await page
      .getByRole("button", { name: /^Compare with/ })
      .first()
      .click();
    await page.getByLabel("What bringing it back changes").waitFor();
    await good();
    await page
      .getByRole("button", { name: /^Bring back the version/ })
      .first()
      .click();
    await inDialog("Bring back");
    await told("The engine runs the earlier version.");
    await until("the file is the earlier one", () => file().includes("default_time = 7200"));
  });

  await step("the engine is stopped and started; the configuration is downloaded", async () => {
    await go("System");
    await told("It does its whole job.");
    await good();
    await withoutEngine(async () => {
      await press("Stop");
      await inDialog("Stop it");
      await told("The engine is stopped.");
      await page.getByRole("button", { name: "Start", exact: true }).waitFor();
      await readable(page);
      // Whoever opens the page now can start it, while the pair, of which a stopped engine says nothing, is asked for again and again.
      const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
      let asked = 0;
      const isPair = (url: URL) => url.pathname.endsWith("/ha/status");
      await routed(page, isPair, async (route) => {
        if (++asked > 1) await isLetGo;
        await route.continue();
      });
      await page.reload();
      const start = page.getByRole("button", { name: "Start", exact: true });
      await start.waitFor();
      const shown = await start.elementHandle();
      letGo();
      await until("the pair is asked for by the page, and refused again", () => asked > 4);
      assert.equal(await shown?.evaluate((element) => element.isConnected), true);
      await unrouted(page, isPair);
      await press("Start");
      await told("It does its whole job.");
    });
    const downloading = page.waitForEvent("download");
    await press("Download the configuration");
    assert.equal(readFileSync(await (await downloading).path(), "utf8"), file());
  });

  await step("DNS is compared with what it shall have, and put right", async () => {
    const names = section("Names in DNS");
    await press("Compare with DNS");
    await told("Names are not kept in DNS: [ddns] is switched off.");
    await closeMessages(page);
    const bind = await startBind(t);
    if (!bind) return;
    const admin = await desk.signedIn();
    const { etag } = (await admin("GET", "config")).headers;
    const headers = { "content-type": "application/toml", "if-match": String(etag) };
    const body = `${ddnsSection(bind)}${file()}`;
    assert.equal((await admin("PUT", "config", { body, headers })).status, 200);
    await simulate(`127.0.0.1:${desk.dhcp}`, 1);
    const lease = async () => (await admin("GET", "leases?q=reception-1")).json.items[0];
    await until("the name is in DNS", async () => (await lease())?.ddns?.state === "kept");
    const { ip } = await lease();
    await press("Compare with DNS");
    await names.getByText("DNS has what it shall have.").waitFor();

    const exchange = createUpdateExchange({ now: () => Date.now() });
    const zones = [FORWARD, REVERSE].map((name) => ({ name, server: bind.server }));
    const [name, ghost] = [`reception-1.${FORWARD}`, `ghost.${FORWARD}`];
    const changes = [change.deleteRecord(name, RECORD.a, octetsOf(ip))];
    await exchange.send(bind.server, { zone: FORWARD, prerequisites: [], changes });
    const { addForward, addReverse } = createNameUpdates(exchange);
    const free = octetsOf("10.77.1.250");
    await addForward(zones, { name: ghost, dhcid: Uint8Array.of(0, 1, 1, 7) }, free, 60);
    await addReverse(zones, ghost, free, 60);
    await press("Compare with DNS");
    await names.getByRole("row", { name: `Remove ${ghost} 10.77.1.250` }).waitFor();
    await names.getByRole("row", { name: `Add ${name} ${ip}` }).waitFor();
    await good();
    await press("Put it right");
    await inDialog("Change DNS");
    await told("Removed: 1. On their way to DNS again: 1.");
    assert.deepEqual(bind.ask(ghost, "A"), []);
    await until("the name is there again", () => bind.ask(name, "A")[0] === ip);
  });

  await step("the machine's own network is shown; a factory reset takes typed words", async () => {
    await section("Network of this machine")
      .getByRole("table")
      .or(page.getByText("No interfaces but loopback"))
      .first()
      .waitFor();
    await good();
    await press("Reset to factory state");
    await inDialog("Reset to factory state");
    const sure = page.getByRole("dialog", { name: "Are you sure?" });
    await sure.getByText("factory reset", { exact: true }).waitFor();
    await sure.getByRole("button", { name: "Cancel" }).click();
    await told(/^This is hard to take back\./);
  });

  await step("a viewer and a token are made; the last administrator stays", async () => {
    await go("Users");
    const form = section("Add a user");
    await form.getByLabel("User name").fill("admin");
    await form.getByLabel("Password", { exact: true }).fill("vera's own password");
    await form.getByRole("button", { name: "Add a user" }).click();
    await form.getByText("There is a user of that name already.").first().waitFor();
    await form.getByLabel("User name").fill("vera");
    await form.getByRole("button", { name: "Add a user" }).click();
    await told("vera can sign in.");
    await press("Remove admin");
    await inDialog("Remove");
    await told("This is the last administrator: make another one first.");
    await section("Tokens").getByLabel("Name").fill("monitoring");
    await press("Make a token");
    const token = await page
      .getByRole("dialog")
      .getByText(/^fdlease_/)
      .textContent();
    const asked = await desk.call("GET", "/api/v1/leases", { headers: { authorization: `Bearer ${token}` } });
    assert.equal(asked.status, 200);
    await inDialog("I have kept it");
    await section("Audit trail")
      .getByText(/made a token: monitoring/)
      .waitFor();
    await closeMessages(page);
    await good();
    await press("Revoke monitoring");
    await inDialog("Revoke");
    await told("monitoring is revoked.");
  });

  await step("a viewer reads, changes their own password, and is offered nothing else", async () => {
    await signOut();
    await signIn("vera", "vera's own password");
    const pages = page.getByRole("navigation", { name: "Pages" });
    for (const name of ["Users", "Settings", "System"])
      assert.equal(await pages.getByRole("link", { name, exact: true }).count(), 0, name);
    await go("Reservations");
    await page.getByRole("row", { name: /10\.77\.0\.50/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Add|Edit|Remove|Disable/ }).count(), 0);
    await go("Subnets");
    await section("10.77.0.0/16").waitFor();
    assert.equal(await page.getByRole("button", { name: /Add|Edit|Remove/ }).count(), 0);
    await press("Change your password");
    await page.getByLabel("Current password").fill("vera's own password");
    await page.getByLabel("New password").fill("another one of vera's");
    await inDialog("Change it");
    await told("Your password is changed.");
    await desk.signedIn("vera", "another one of vera's");
  });

  await step(
    "after a factory reset everybody is signed out, and the first administrator begins anew",
    async () => {
      await signOut();
      await signIn("admin", PASSWORD);
      await go("System");
      await press("Reset to factory state");
      await inDialog("Reset to factory state");
      const sure = page.getByRole("dialog", { name: "Are you sure?" });
      await sure.getByLabel("The words").fill("factory reset");
      await withoutEngine(async () => {
        await sure.getByRole("button", { name: "Go on" }).click();
        await page.getByRole("heading", { level: 1, name: "Sign in", exact: true }).waitFor();
        await signIn("admin", PASSWORD);
      });
      await go("Users");
      await page.getByRole("row", { name: /admin/ }).first().waitFor();
      assert.equal(await page.getByRole("row", { name: /vera/ }).count(), 0);
    },
  );

  journey.nothingToComplain();
});
