import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

test("buttons of the lease console do what they say, or say why not", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, told, signIn } = journey;
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);

  await step("leases that are not active are not shown to be renewed: all others would be", async () => {
    await page.goto(`${desk.url}/leases?state=declined`);
    await told("Nothing fits");
    const renew = page.getByRole("button", { name: "Renew what is shown" });
    assert.equal(await renew.count(), 0);
    await page.getByLabel("State").selectOption("active");
    await renew.waitFor();
  });

  journey.nothingToComplain();
});
