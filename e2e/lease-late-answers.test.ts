import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { LabClients } from "../services/lease/engine/test/lab-clients.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { closeMessages } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";

test("what is typed in the lease console while a save is under way", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, section, go, signIn, hold, closeDialog } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const fill = async (ip: string, mac: string, note: string) => {
    await dialog.getByLabel("Address", { exact: true }).fill(ip);
    await dialog.getByLabel("Hardware address").fill(mac);
    await dialog.getByLabel("Note").fill(note);
  };
  const noteIs = (words: string) => untilEqual(() => dialog.getByLabel("Note").inputValue(), words);

  await step("an answer that comes late leaves alone the dialog that was opened since", async () => {
    await go("Reservations");
    await press("Add a reservation");
    await fill("10.77.0.61", "02:00:00:00:00:61", "first");
    const save = await hold("POST", /\/reservations$/);
    await inDialog("Save");
    await save.asked;
    await closeDialog();
    await press("Add a reservation");
    await fill("10.77.0.62", "02:00:00:00:00:62", "second");
    await save.letGo();
    await told("10.77.0.61 is reserved.");
    await page.getByRole("row", { name: /first/ }).waitFor();
    await noteIs("second");
    await page.reload();
    await press("Add a reservation");
    await noteIs("second");
    await inDialog("Save");
    await told("10.77.0.62 is reserved.");
    await dialog.waitFor({ state: "detached" });
    await press("Add a reservation");
    await noteIs("");
    await closeDialog();
  });

  await step("a new reservation: what was typed since is an edit of it", async () => {
    await press("Add a reservation");
    await fill("10.77.0.63", "02:00:00:00:00:63", "sent");
    const save = await hold("POST", /\/reservations$/);
    await inDialog("Save");
    await save.asked;
    await dialog.getByLabel("Note").fill("typed since");
    await save.letGo();
    await page.getByRole("dialog", { name: "Reservation of 10.77.0.63" }).waitFor();
    await noteIs("typed since");
    await inDialog("Save");
    await page.getByRole("row", { name: /typed since/ }).waitFor();
    await dialog.waitFor({ state: "detached" });
  });

  const subnet = section("10.77.0.0/16");
  await step("a subnet", async () => {
    await go("Subnets");
    await press("Edit 10.77.0.0/16");
    await subnet.getByLabel("Lease time").fill("1800");
    const save = await hold("PUT", /\/config\/full$/);
    await subnet.getByRole("button", { name: "Save" }).click();
    await save.asked;
    await subnet.getByLabel("Lease time").fill("2400");
    await save.letGo();
    await told(/^Saved/);
    await untilEqual(() => subnet.getByLabel("Lease time").inputValue(), "2400");
    assert.match(readFileSync(desk.configPath, "utf8"), /default_time = 1800/);
    await subnet.getByRole("button", { name: "Save" }).click();
    await press("Edit 10.77.0.0/16");
    await untilEqual(() => subnet.getByLabel("Lease time").inputValue(), "2400");
    await subnet.getByRole("button", { name: "Close" }).click();
  });

  await step("a subnet whose form was closed and opened again: that is nobody else's save", async () => {
    const save = subnet.getByRole("button", { name: "Save" });
    for (const typed of ["1200", undefined]) {
      await press("Edit 10.77.0.0/16");
      await subnet.getByLabel("Lease time").fill("1800");
      const put = await hold("PUT", /\/config\/full$/);
      await save.click();
      await put.asked;
      await subnet.getByRole("button", { name: "Close" }).click();
      await press("Edit 10.77.0.0/16");
      if (typed) await subnet.getByLabel("Lease time").fill(typed);
      else await subnet.getByRole("button", { name: "Discard my changes" }).click();
      await put.letGo();
      await told(/^Saved/);
      await untilEqual(() => subnet.getByLabel("Lease time").inputValue(), typed ?? "1800");
      assert.equal(await page.getByText("was changed elsewhere").count(), 0);
      if (typed) await save.click();
      else await subnet.getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Edit 10.77.0.0/16" }).waitFor();
      await closeMessages(page);
    }
    assert.match(readFileSync(desk.configPath, "utf8"), /default_time = 1800/);
  });

  await step(
    "what is typed on before the form is closed, or changed back, is an edit of what was saved",
    async () => {
      const time = subnet.getByLabel("Lease time");
      const whileSaved = async (written: string, typed: string, isClosed: boolean) => {
        await time.fill(written);
        const put = await hold("PUT", /\/config\/full$/);
        await subnet.getByRole("button", { name: "Save" }).click();
        await put.asked;
        await time.fill(typed);
        if (isClosed) await subnet.getByRole("button", { name: "Close" }).click();
        await put.letGo();
        await told(/^Saved/);
        if (isClosed) await press("Edit 10.77.0.0/16");
        await untilEqual(() => time.inputValue(), typed);
        assert.equal(await page.getByText("was changed elsewhere").count(), 0);
        await subnet.getByRole("button", { name: "Discard my changes" }).click();
        await untilEqual(() => time.inputValue(), written);
        await closeMessages(page);
      };
      await press("Edit 10.77.0.0/16");
      await whileSaved("1850", "1900", true);
      await whileSaved("2000", "1850", false);
      await whileSaved("1850", "2000", true);
      await subnet.getByRole("button", { name: "Close" }).click();
    },
  );

  await step("a new subnet, and one that gets another network", async () => {
    await press("Add a subnet");
    await section("New subnet").getByLabel("Network", { exact: true }).fill("10.88.0.0/24");
    let save = await hold("PUT", /\/config\/full$/);
    await section("New subnet").getByRole("button", { name: "Save" }).click();
    await save.asked;
    await section("New subnet").getByLabel("Lease time").fill("600");
    await save.letGo();
    const made = section("10.88.0.0/24");
    await untilEqual(() => made.getByLabel("Lease time").inputValue(), "600");
    assert.equal(await page.getByText("was removed elsewhere").count(), 0);
    await made.getByLabel("Network", { exact: true }).fill("10.89.0.0/24");
    save = await hold("PUT", /\/config\/full$/);
    await made.getByRole("button", { name: "Save" }).click();
    await save.asked;
    await made.getByLabel("Lease time").fill("700");
    await save.letGo();
    const renamed = section("10.89.0.0/24");
    await untilEqual(() => renamed.getByLabel("Lease time").inputValue(), "700");
    assert.equal(await page.getByText("was removed elsewhere").count(), 0);
    await renamed.getByRole("button", { name: "Save" }).click();
    await press("Edit 10.89.0.0/24");
    await untilEqual(() => renamed.getByLabel("Lease time").inputValue(), "700");
    const { json } = await other("GET", "config/full");
    assert.deepEqual(
      json.config.subnet.map((each: { network: string }) => each.network),
      ["10.77.0.0/16", "10.89.0.0/24"],
    );
  });

  await step("the next user and the next token, while the list is read again", async () => {
    await go("Users");
    const users = section("Add a user");
    await users.getByLabel("User name").fill("bob");
    await users.getByLabel("Password", { exact: true }).fill("bobs password 1");
    let read = await hold("GET", /\/users$/);
    await users.getByRole("button", { name: "Add a user" }).click();
    await read.asked;
    await users.getByLabel("User name").fill("carol");
    await read.letGo();
    await told("bob");
    await page.getByRole("button", { name: "Remove bob" }).waitFor();
    await untilEqual(() => users.getByLabel("User name").inputValue(), "carol");
    assert.equal(await users.getByLabel("Password", { exact: true }).inputValue(), "");

    const tokens = section("Tokens");
    await tokens.getByLabel("Name").fill("backup");
    read = await hold("GET", /\/tokens$/);
    await tokens.getByRole("button", { name: "Make a token" }).click();
    await read.asked;
    await press("I have kept it");
    await tokens.getByLabel("Name").fill("monitor");
    await read.letGo();
    await tokens.getByRole("row", { name: /backup/ }).waitFor();
    await untilEqual(() => tokens.getByLabel("Name").inputValue(), "monitor");
  });

  await step("what is ticked while other leases are released stays ticked", async () => {
    const clients = await LabClients.open(desk.dhcp);
    t.after(() => clients.close());
    for (const mac of ["02:00:00:00:66:01", "02:00:00:00:66:02"]) assert.ok(await clients.join(mac));
    const ips = (await other("GET", "leases?state=active")).json.items.map(({ ip }: { ip: string }) => ip);
    assert.equal(ips.length, 2);
    await go("Leases");
    const tick = (ip: string) => page.getByRole("checkbox", { name: `Tick ${ip}` });
    await tick(ips[0]).check();
    const release = await hold("DELETE", /\/leases\//);
    await press("Release");
    await inDialog("Release 1 lease");
    await release.asked;
    await tick(ips[1]).check();
    await release.letGo();
    await told("1 lease is released.");
    assert.ok(await tick(ips[1]).isChecked());
  });

  journey.nothingToComplain();
});
