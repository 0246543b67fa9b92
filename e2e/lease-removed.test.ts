import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { readable } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";

test("what is removed in the lease console while somebody edits it takes nothing along that was typed", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, inDialog, told, section, go, signIn, hold } = journey;
  const file = () => readFileSync(desk.configPath, "utf8");
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const writeFile = async (body: string) => {
    const { headers } = await other("GET", "config");
    const put = await other("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
    assert.equal(put.status, 200, put.text);
  };
  const removed = (what: string) => page.getByText(`${what} was removed elsewhere`);

  await step("a reservation's form stays open, and is there after a reload", async () => {
    await go("Reservations");
    await press("Edit 10.77.0.50");
    await dialog.getByLabel("Note").fill("mine");
    assert.equal((await other("DELETE", "reservations/10.77.0.50")).status, 204);
    await inDialog("Save");
    await removed("Reservation of 10.77.0.50").waitFor();
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "mine");
    await readable(page);
    await page.reload();
    await removed("Reservation of 10.77.0.50").waitFor();
    await readable(page);
    await press("Open what I typed");
    await untilEqual(() => dialog.getByLabel("Note").inputValue(), "mine");
    await inDialog("Make it anew");
    await told("10.77.0.50 is reserved.");
    assert.match(file(), /note = "mine"/);
    await removed("Reservation of 10.77.0.50").waitFor({ state: "detached" });
  });

  await step("or what was typed is discarded by a click", async () => {
    await press("Edit 10.77.0.50");
    await dialog.getByLabel("Note").fill("mine again");
    assert.equal((await other("DELETE", "reservations/10.77.0.50")).status, 204);
    await inDialog("Save");
    await removed("Reservation of 10.77.0.50").waitFor();
    await inDialog("Discard what I typed");
    await dialog.waitFor({ state: "detached" });
    await removed("Reservation of 10.77.0.50").waitFor({ state: "detached" });
  });

  await step("a subnet's form stays, and the subnet can be made anew", async () => {
    const without = file();
    await writeFile(
      `${without}\n[[subnet]]\nnetwork = "10.78.0.0/24"\n\n[[subnet.pool]]\nrange = "10.78.0.10 - 10.78.0.20"\n`,
    );
    await go("Subnets");
    const card = section("10.78.0.0/24");
    await press("Edit 10.78.0.0/24");
    await card.getByLabel("Lease time, in seconds").fill("900");
    await writeFile(without);
    await card.getByRole("button", { name: "Save and apply" }).click();
    await removed("10.78.0.0/24").waitFor();
    await untilEqual(() => card.getByLabel("Lease time, in seconds").inputValue(), "900");
    await readable(page);
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await removed("10.78.0.0/24").waitFor();
    await untilEqual(() => card.getByLabel("Lease time, in seconds").inputValue(), "900");
    await press("Make it anew");
    await card.getByRole("button", { name: "Edit 10.78.0.0/24" }).waitFor();
    assert.match(file(), /network = "10\.78\.0\.0\/24"/);
    assert.match(file(), /default_time = 900/);
    assert.match(file(), /range = "10\.78\.0\.10 - 10\.78\.0\.20"/);
  });

  await step("whoever removes a subnet after typing is not told that somebody else did", async () => {
    const card = section("10.78.0.0/24");
    await press("Edit 10.78.0.0/24");
    await card.getByLabel("Lease time, in seconds").fill("1200");
    await card.getByRole("button", { name: "Close" }).click();
    await press("Remove 10.78.0.0/24");
    await inDialog("Remove");
    await card.waitFor({ state: "detached" });
    assert.equal(await removed("10.78.0.0/24").count(), 0);
  });

  await step("nor does a subnet that was made, with an edit begun while it was saved", async () => {
    const without = file();
    await press("Add a subnet");
    const form = section("New subnet");
    await form.getByLabel("Network", { exact: true }).fill("10.79.0.0/24");
    const put = await hold("PUT", /config\/full/);
    await form.getByRole("button", { name: "Save and apply" }).click();
    await put.asked;
    await form.getByLabel("Lease time, in seconds").fill("777");
    await put.letGo();
    const card = section("10.79.0.0/24");
    await untilEqual(() => card.getByLabel("Lease time, in seconds").inputValue(), "777");
    await writeFile(without);
    await card.getByRole("button", { name: "Save and apply" }).click();
    await removed("10.79.0.0/24").waitFor();
    await untilEqual(() => card.getByLabel("Lease time, in seconds").inputValue(), "777");
    await press("Discard what I typed");
    await card.waitFor({ state: "detached" });
  });

  await step("a subnet that somebody has written without its network takes no page away", async () => {
    const before = file();
    writeFileSync(desk.configPath, `${before}\n[[subnet]]\ndefault_time = 600\n`);
    await page.reload();
    await page.getByRole("button", { name: "Edit 10.77.0.0/16" }).waitFor();
    writeFileSync(desk.configPath, before);
  });

  journey.nothingToComplain();
});
