import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients } from "../services/lease/engine/test/lab-clients.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { focused } from "./keyboard.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed, unrouted } from "./routed.ts";

test("the forms of the lease console say what is wrong, and where", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, section, go, signIn, hold } = journey;
  const file = () => readFileSync(desk.configPath, "utf8");
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const writeFile = async (body: string, query = "") => {
    const { headers } = await other("GET", "config");
    const put = await other("PUT", `config${query}`, { body, headers: { "if-match": String(headers.etag) } });
    assert.equal(put.status, 200, put.text);
  };
  const byKeyboard = async (name: string | RegExp) => {
    await page.getByRole("button", { name, exact: typeof name === "string" }).focus();
    await page.keyboard.press("Enter");
  };
  const focusIs = (name: string) => untilEqual(async () => (await focused(page)).name, name);

  await step("a value that does not fit is told at its field", async () => {
    await go("Settings");
    const timings = section("Lease timings");
    const time = timings.getByLabel("Lease time", { exact: true });
    await time.fill("an hour");
    await timings.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => time.getAttribute("aria-invalid"), "true");
    const words = await timings.getByText(/^Must be a whole number from/).count();
    assert.equal(words, 1);
    assert.equal(await page.getByText(/Line \d+/).count(), 0);
    await timings.getByRole("button", { name: "Discard my changes" }).click();
  });

  await step("an option is named once, and its value is what the option takes", async () => {
    const options = section("Options for everybody");
    await options.getByRole("button", { name: "Add an option" }).click();
    await options.getByLabel("Option 1", { exact: true }).fill("domain_name");
    await options.getByLabel("Value 1", { exact: true }).fill("12345");
    await options.getByRole("button", { name: "Add an option" }).click();
    await options.getByLabel("Option 2", { exact: true }).fill("domain_name");
    await options.getByLabel("Value 2", { exact: true }).fill("two.example");
    await options.getByText(/^This option is there already/).waitFor();
    assert.ok(await options.getByRole("button", { name: "Save and apply" }).isDisabled());
    await options.getByLabel("Option 2", { exact: true }).fill("interface_mtu");
    await options.getByLabel("Value 2", { exact: true }).fill("large");
    await options.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(
      () => options.getByLabel("Value 2", { exact: true }).getAttribute("aria-invalid"),
      "true",
    );
    await options.getByLabel("Value 2", { exact: true }).fill("1400");
    await options.getByRole("button", { name: "Save and apply" }).click();
    await told(/^Saved/);
    assert.match(file(), /domain_name = "12345"/);
    assert.match(file(), /interface_mtu = 1400/);
  });

  await step(
    "a value that an option cannot take is refused at its field, once, until it is discarded",
    async () => {
      const options = section("Options for everybody");
      const value = options.getByLabel("Value 3", { exact: true });
      // At a field, and below the form.
      const refusals = options.locator("[id$=-error], p[role=alert]");
      for (const [name, text] of [
        ["ip_forwarding", "yes"],
        ["ip_forwarding", ""],
        ["time_offset", ""],
        ["no/such/option", "x"],
      ] as const) {
        await options.getByRole("button", { name: "Add an option" }).click();
        await options.getByLabel("Option 3", { exact: true }).fill(name);
        await value.fill(text);
        await options.getByRole("button", { name: "Save and apply" }).click();
        await untilEqual(() => value.getAttribute("aria-invalid"), "true");
        await focusIs("Value 3");
        const words = text === "yes" ? /^Must be true or false\.$/ : /^Must be|^Is not an option/;
        assert.equal(await refusals.count(), 1);
        assert.match((await refusals.textContent()) ?? "", words);
        // What is told of a row goes with it.
        if (text === "yes")
          await options.getByRole("button", { name: "Remove option ip_forwarding" }).click();
        else await options.getByRole("button", { name: "Discard my changes" }).click();
        await value.waitFor({ state: "detached" });
        assert.equal(await refusals.count(), 0);
      }
      assert.doesNotMatch(file(), /ip_forwarding|time_offset/);
    },
  );

  await step("a value without the name of its option is not dropped", async () => {
    const options = section("Options for everybody");
    await options.getByRole("button", { name: "Add an option" }).click();
    await options.getByLabel("Value 3", { exact: true }).fill("10.77.0.9");
    await untilEqual(
      () => options.getByLabel("Option 3", { exact: true }).getAttribute("aria-invalid"),
      "true",
    );
    assert.ok(await options.getByRole("button", { name: "Save and apply" }).isDisabled());
    await options.getByRole("button", { name: "Discard my changes" }).click();
  });

  await step("a file that is no TOML is told wherever it is shown, and put right in Settings", async () => {
    const before = file();
    writeFileSync(desk.configPath, `${before}[lease`);
    for (const name of ["Subnets", "Reservations", "Settings"]) {
      await page.goto(`${desk.url}/${name.toLowerCase()}`);
      await told("The configuration file cannot be read");
      await told(/^Line \d+, column \d+: this is not TOML/);
    }
    await page.getByRole("link", { name: "Mend its text in Settings" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration, TOML" });
    await editor.getByText("[lease", { exact: true }).waitFor();
    await told("It has mistakes: correct them first.");
    await editor.fill(`${before}# mended\n`);
    await press("Save and apply");
    await told("Saved; the engine runs it.");
    assert.equal(file(), `${before}# mended\n`);

    writeFileSync(desk.configPath, Buffer.concat([Buffer.from(`${before}# caf`), Buffer.from([0xe9])]));
    await page.goto(`${desk.url}/reservations`);
    await told(/the letter here is not UTF-8/);
    await page.getByRole("link", { name: "Bring an earlier version back" }).click();
    await page
      .getByRole("button", { name: /^Bring back the version of/ })
      .nth(1)
      .click();
    await inDialog("Bring back");
    await told("The engine runs the earlier version.");
    assert.equal(file(), before);
    await go("Settings");
    await page.getByText("Forms", { exact: true }).click();
  });

  await step("an option that the configuration defines takes any text", async () => {
    await writeFile(`${file()}\n[[option]]\ncode = 224\nname = "motd"\ntype = "text"\n`);
    await page.reload();
    const options = section("Options for everybody");
    await options.getByRole("button", { name: "Add an option" }).click();
    await options.getByLabel("Option 3", { exact: true }).fill("motd");
    for (const text of ["Hello, world", "12345", "true"]) {
      await options.getByLabel("Value 3", { exact: true }).fill(text);
      await options.getByRole("button", { name: "Save and apply" }).click();
      await untilEqual(() => file().includes(`motd = "${text}"`), true);
    }
  });

  await step("after a refused save on a phone, the wrong field is in sight and has the focus", async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.goto(`${desk.url}/subnets`);
    await press("Edit 10.77.0.0/16");
    const subnet = section("10.77.0.0/16");
    const network = subnet.getByLabel("Network", { exact: true });
    await subnet.getByLabel("Its relays").fill("nowhere");
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await focusIs("Its relays, with commas");
    await subnet.getByText(/^Each of relays must be/).waitFor();
    await network.fill("10.77.0.0/99");
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await focusIs("Network");
    const box = await network.boundingBox();
    assert.ok(box && box.y > 0 && box.y + box.height < 640, `the field is at ${box?.y}`);
    // Whoever types on somewhere else stays there.
    await subnet.getByLabel("Its relays").fill("");
    const save = await hold("PUT", /\/config\/full$/);
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await save.asked;
    await subnet.getByLabel("Lease time").focus();
    const refused = page.waitForResponse(/\/config\/full$/);
    await save.letGo();
    await (await refused).finished();
    await untilEqual(
      () => subnet.getByRole("button", { name: "Save and apply" }).getAttribute("aria-busy"),
      null,
    );
    await focusIs("Lease time, in seconds");
    await subnet.getByRole("button", { name: "Discard my changes" }).click();
    assert.equal(await network.getAttribute("aria-invalid"), null);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  await step(
    "a text whose check fails says so, and is saved by Ctrl-S before the check has come",
    async () => {
      await page.goto(`${desk.url}/settings?mode=text`);
      const text = page.getByRole("textbox", { name: "Configuration, TOML" });
      await text.click();
      const isCheck = (url: URL) => url.pathname.endsWith("/config/check");
      const broken = { code: "internal", detail: "It broke." };
      await routed(page, isCheck, (route) =>
        route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(broken) }),
      );
      await page.keyboard.press("Control+End");
      await page.keyboard.type("\n# one");
      await told(/^The text could not be checked: /);
      await unrouted(page, isCheck);
      await press("Try again");
      await page.getByText(/^The text could not be checked: /).waitFor({ state: "detached" });
      const check = await hold("POST", /\/config\/check$/);
      await text.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("\n# two");
      await page.keyboard.press("Control+s");
      await told(/^Saved/);
      assert.match(file(), /# two/);
      await check.letGo();
    },
  );

  await step("a reservation of DHCPv6 is edited", async () => {
    await writeFile(
      `${file()}\n[[subnet]]\nnetwork = "fd77::/64"\n\n  [[subnet.reservation]]\n  ip = "fd77::50"\n  duid = "00:01:00:01:aa:bb:cc:dd:02:00:00:00:00:77"\n\n  [[subnet.reservation]]\n  ip = "fd77::62"\n  prefix = "fd77:9::/56"\n  interface_id = "ge-0/0/2"\n`,
    );
    // What a relay says of it is what it is known by, and found by.
    await page.goto(`${desk.url}/reservations?q=ge-0/0/2`);
    const row = page.getByRole("row", { name: "fd77::62" });
    for (const words of ["ge-0/0/2", "fd77:9::/56"]) await row.getByText(words, { exact: true }).waitFor();
    await page.goto(`${desk.url}/reservations`);
    await press("Edit fd77::50");
    await dialog.getByLabel("Note").fill("the sixth");
    await inDialog("Save");
    await told("fd77::50 is reserved.");
    assert.match(file(), /duid = "00:01:00:01:aa:bb:cc:dd:02:00:00:00:00:77"\n\s*note = "the sixth"/);
  });

  await step("a pool without a range is told at its field", async () => {
    await go("Subnets");
    await press("Edit fd77::/64");
    const subnet = section("fd77::/64");
    for (const [pool, field] of [
      ["Add a pool", "Range"],
      ["Add a pool of prefixes", "Prefix"],
    ] as const) {
      await subnet.getByRole("button", { name: pool, exact: true }).click();
      await subnet.getByRole("button", { name: "Save and apply" }).click();
      await untilEqual(() => subnet.getByLabel(field, { exact: true }).getAttribute("aria-invalid"), "true");
      await subnet.getByRole("button", { name: "Discard my changes" }).click();
    }
    await subnet.getByRole("button", { name: "Close" }).click();
  });

  await step("a subnet that becomes one of the other family takes its lease time along", async () => {
    await writeFile(`${file()}\n[[subnet]]\nnetwork = "10.98.0.0/24"\ndefault_time = 777\n`);
    await page.reload();
    for (const [from, to, key] of [
      ["10.98.0.0/24", "fd98::/64", "valid_time"],
      ["fd98::/64", "10.98.0.0/24", "default_time"],
    ] as const) {
      await press(`Edit ${from}`);
      await section(from).getByLabel("Network", { exact: true }).fill(to);
      await section(from).getByRole("button", { name: "Save and apply" }).click();
      await page.getByRole("button", { name: `Edit ${to}` }).waitFor();
      assert.match(file(), new RegExp(`network = "${to}"\n${key} = 777\n`));
    }
    assert.doesNotMatch(file(), /valid_time/);
  });

  await step("a shared network that is gone is shown as such, and not as none", async () => {
    const before = file();
    await writeFile(`${before}\n[[shared_network]]\nname = "floor"\n`);
    await page.reload();
    await press("Edit 10.98.0.0/24");
    const shared = section("10.98.0.0/24").getByLabel("Shared network");
    await shared.selectOption("floor");
    await writeFile(before);
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await untilEqual(() => shared.locator("option:checked").textContent(), "floor (gone)");
    await section("10.98.0.0/24").getByRole("button", { name: "Discard my changes" }).click();
    await section("10.98.0.0/24").getByRole("button", { name: "Close" }).click();
  });

  await step("by keyboard, the focus goes into the form and back to what opened it", async () => {
    await go("Subnets");
    await byKeyboard("Edit 10.77.0.0/16");
    await focusIs("Network");
    await byKeyboard("Add a pool");
    await byKeyboard("Remove pool 2");
    await focusIs("Add a pool");
    await byKeyboard("Close");
    await focusIs("Edit 10.77.0.0/16");
    await byKeyboard("Add a subnet");
    await focusIs("Network");
    await byKeyboard("Close");
    await focusIs("Add a subnet");
    await go("Settings");
    await byKeyboard("Add a class");
    await byKeyboard("Remove class 1");
    await focusIs("Add a class");
  });

  await step("a countdown is not read out each second", async () => {
    await writeFile(`${file()}\n# on trial\n`, "?confirm_within=600");
    await page.reload();
    const timer = page.getByRole("alert").getByRole("timer");
    await timer.getByText(/takes it back in/).waitFor();
    assert.equal(await timer.getAttribute("aria-live"), "off");
    await press("Take it back now");
    await timer.waitFor({ state: "detached" });
  });

  await step("an address opens in another tab, too", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    assert.ok(await clients.join("02:00:00:00:66:01"));
    const [{ ip }] = (await other("GET", "leases?state=active")).json.items;
    await go("Leases");
    const address = page.getByRole("link", { name: ip, exact: true });
    const opened = page.context().waitForEvent("page");
    await address.click({ modifiers: ["ControlOrMeta"] });
    const tab = await opened;
    await tab.getByRole("dialog", { name: ip }).waitFor();
    await tab.close();
    await address.click();
    await page.getByRole("dialog", { name: ip }).waitFor();
    await journey.closeDialog();
  });

  await step("another interface brings its own address and gateway", async () => {
    const both = ["10.0.0.1", "10.9.0.1"].map((gateway, at) => ({
      name: `eth${at}`,
      addresses: [`10.${at * 9}.0.5/24`],
      gateway,
      tool: "ifupdown",
    }));
    const isNetwork = (url: URL) => url.pathname.endsWith("/system/network");
    await routed(page, isNetwork, (route) =>
      route.fulfill({ json: { interfaces: both, dns: [], changeable: true, trial: null } }),
    );
    await go("System");
    await press(/static/);
    await page.getByLabel("Interface", { exact: true }).selectOption("eth1");
    await untilEqual(() => page.getByLabel(/^Address/).inputValue(), "10.9.0.5/24");
    await untilEqual(() => page.getByLabel(/^Gateway/).inputValue(), "10.9.0.1");
    // One that is gone is not shown as another.
    both.pop();
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    const chosen = page.getByLabel("Interface", { exact: true }).locator("option:checked");
    await untilEqual(() => chosen.textContent(), "eth1 (gone)");
    await page.getByRole("button", { name: /Discard/ }).click();
    await unrouted(page, isNetwork);
  });

  await step("the password after a factory reset does not go with a reload unasked", async () => {
    await routed(page, "**/system/factory-reset", async (route) => {
      // The first question is which words are to be typed.
      if (!route.request().postDataJSON()?.confirmation) return route.fallback();
      await page.context().clearCookies();
      await route.fulfill({ json: { password: "told this once" } });
    });
    await press("Reset to factory state");
    await inDialog("Reset to factory state");
    await dialog.getByRole("textbox").fill("factory reset");
    await inDialog("Go on");
    await page.getByText("told this once", { exact: true }).waitFor();
    assert.equal(await page.getByText(/password was printed/).count(), 0);
    const asked = page.waitForEvent("dialog");
    // A page asks on leaving only where somebody has done something.
    await page.getByLabel("User name").fill("admin");
    // It stays, so it never ends.
    void page.reload().catch(() => {});
    const question = await asked;
    assert.equal(question.type(), "beforeunload");
    await question.dismiss();
    await page.getByText("told this once", { exact: true }).waitFor();
  });
});
