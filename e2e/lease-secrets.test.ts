import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

const SECRET = "c2VjcmV0LW9mLXRoZS1kbnMta2V5";

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
