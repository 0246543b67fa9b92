import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD, SUBNET } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

const SECRET = "c2VjcmV0LW9mLXRoZS1kbnMta2V5";

test("whoever becomes an administrator saves nothing over a reading without secrets; who is one no more is told so", async (t) => {
  const secrets = `control_token = "0123456789abcdef0123456789abcdef"\n\n[ddns]\ntsig_name = "key"\ntsig_secret = "${SECRET}"\n\n`;
  const journey = await leaseJourney(t, { subnet: secrets + SUBNET });
  if (!journey) return;
  const { desk, page, press, signIn, section, hold, told } = journey;
  const admin = await desk.signedIn();
  const eve = { username: "eve", password: PASSWORD, role: "viewer" };
  assert.equal((await admin("POST", "users", { body: eve })).status, 201);
  await page.goto(`${desk.url}/subnets`);
  await signIn("eve", PASSWORD);
  const office = section("10.77.0.0/16");
  await office.waitFor();

  assert.equal((await admin("PATCH", "users/eve", { body: { role: "admin" } })).status, 200);
  await page.context().clearCookies();
  // The page may have asked, and been refused, by itself: then the button lies beneath the dialog.
  await office.getByRole("button", { name: /Show the address map/ }).dispatchEvent("click");
  await page.getByLabel("User name").waitFor();
  const line = await hold("GET", /config\/full$/);
  await signIn("eve", PASSWORD);
  await line.asked;
  await untilEqual(() => office.count(), 0);
  await line.letGo();

  await press("Edit 10.77.0.0/16");
  await office.getByLabel("Lease time, in seconds").fill("1800");
  await office.getByRole("button", { name: "Save and apply" }).click();
  await told("Saved; the engine runs it.");
  const file = readFileSync(desk.configPath, "utf8");
  assert.match(file, /default_time = 1800/);
  assert.match(file, /control_token = "0123456789abcdef/);
  assert.match(file, new RegExp(`tsig_secret = "${SECRET}"`));

  // And whoever is none any more is told so, in the place of an empty file or of a page that loads for good.
  const menu = page.getByRole("navigation", { name: "Pages" });
  const downloads: string[] = [];
  page.on("download", (file) => downloads.push(file.suggestedFilename()));
  await page.goto(`${desk.url}/system`);
  const backup = page.getByRole("button", { name: "Download the configuration" });
  await backup.waitFor();
  assert.equal((await admin("PATCH", "users/eve", { body: { role: "operator" } })).status, 200);
  await backup.click();
  await told("Your role does not allow this. Ask an administrator.");
  await untilEqual(() => menu.getByRole("link", { name: "Settings" }).count(), 0);
  assert.deepEqual(downloads, []);

  assert.equal((await admin("PATCH", "users/eve", { body: { role: "admin" } })).status, 200);
  // A page that does not read the configuration.
  await page.goto(`${desk.url}/reservations`);
  await told("10.77.0.50");
  assert.equal((await admin("PATCH", "users/eve", { body: { role: "operator" } })).status, 200);
  await menu.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
  journey.nothingToComplain();
});

test("secrets that are typed in the lease console are not kept in the browser's storage", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, press, dialog, signIn, section } = journey;
  await page.goto(`${desk.url}/settings`);
  await signIn("admin", PASSWORD);
  const kept = () =>
    page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
  const leave = async () => {
    await page.getByRole("link", { name: "Subnets", exact: true }).click();
    await dialog.getByText("so it is not kept in the browser").waitFor();
    await dialog.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Subnets" }).waitFor();
    assert.ok(!(await kept()).includes(SECRET));
    await page.getByRole("link", { name: "Settings", exact: true }).click();
  };
  const names = section("Dynamic DNS");
  await names.getByLabel("TSIG secret").fill(SECRET);
  await leave();
  await untilEqual(() => names.getByLabel("TSIG secret").inputValue(), SECRET);
  await names.getByRole("button", { name: "Discard my changes" }).click();

  await page.getByText("Text (TOML)").click();
  const editor = page.getByRole("textbox", { name: "Configuration, TOML" });
  await editor.fill(`# ${SECRET}`);
  await page.getByRole("button", { name: "Discard my changes" }).waitFor();
  await leave();
  await page.getByText("Text (TOML)").click();
  await editor.getByText(SECRET).waitFor();
  await press("Discard my changes");
  journey.nothingToComplain();
});
