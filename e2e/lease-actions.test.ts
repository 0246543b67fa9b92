import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed, unrouted } from "./routed.ts";

test("buttons of the lease console do what they say, or say why not", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, dialog, step, press, told, go, signIn, withoutEngine } = journey;
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

  await step("a subnet whose leases cannot be counted is not removed, and it is said why", async () => {
    await go("Subnets");
    const remove = page.getByRole("button", { name: "Remove 10.77.0.0/16" });
    const counts = /\/api\/v1\/leases\?/;
    const body = {
      type: "about:blank",
      title: "The engine does not answer.",
      status: 503,
      code: "engine_away",
    };
    await routed(page, counts, (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(body) }),
    );
    await withoutEngine(async () => {
      await remove.click();
      await told("The engine does not answer.");
    });
    assert.equal(await dialog.count(), 0);
    await unrouted(page, counts);
  });

  await step("whoever goes elsewhere while the leases are counted is not asked any more", async () => {
    const remove = page.getByRole("button", { name: "Remove 10.77.0.0/16" });
    const counts = /\/api\/v1\/leases\?/;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    await routed(page, counts, async (route) => {
      asked++;
      await released;
      await route.continue();
    });
    await remove.dblclick();
    await untilEqual(() => remove.getAttribute("aria-busy"), "true");
    await untilEqual(() => asked, 1);
    await go("Users");
    await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    const counted = page.waitForResponse(counts);
    release();
    await (await counted).finished();
    await page.getByRole("row", { name: /admin/ }).first().waitFor();
    assert.equal(await dialog.count(), 0);
    await unrouted(page, counts);
    await go("Subnets");
    await press("Remove 10.77.0.0/16");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  await step("of several roles that are chosen one after the other the last one stays", async () => {
    const admin = await desk.signedIn();
    const body = { username: "bob", password: "the password of bob", role: "viewer" };
    assert.equal((await admin("POST", "users", { body })).status, 201);
    await page.goto(`${desk.url}/users`);
    const role = page.getByLabel("Role of bob");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const sent: string[] = [];
    await routed(page, "**/api/v1/users/bob", async (route) => {
      sent.push(route.request().postDataJSON().role);
      if (sent.length === 1) await released;
      await route.continue();
    });
    await role.selectOption("operator");
    await untilEqual(() => sent.length, 1);
    await untilEqual(() => role.inputValue(), "operator");
    await role.focus();
    await page.keyboard.press("ArrowDown");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await untilEqual(
      () => role.inputValue(),
      "operator",
      "an arrow key makes nobody an administrator unasked",
    );
    await role.selectOption("admin");
    await dialog.getByRole("button", { name: "Make an administrator" }).click();
    await untilEqual(() => role.inputValue(), "admin");
    await role.selectOption("viewer");
    await untilEqual(() => role.inputValue(), "viewer");
    release();
    await told("bob: Viewer from now on.");
    assert.deepEqual(sent, ["operator", "viewer"]);
    const users: Array<{ username: string; role: string }> = (await admin("GET", "users")).json.items;
    assert.equal(users.find(({ username }) => username === "bob")?.role, "viewer");
    assert.equal(await role.inputValue(), "viewer");
  });

  journey.nothingToComplain();
});
