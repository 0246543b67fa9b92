import assert from "node:assert/strict";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { readable } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed } from "./routed.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

/** As a machine answers whose network can be changed, which that of a test cannot. */
const NETWORK = {
  interfaces: [
    {
      name: "lan0",
      mac: "02:00:00:00:00:01",
      up: true,
      addresses: ["192.0.2.5/24"],
      gateway: "192.0.2.1",
      tool: "netplan",
    },
  ],
  dns: ["192.0.2.53"],
  changeable: true,
};

test("the network of the machine in the lease console", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, inDialog, section, go, signIn, hold } = journey;
  let trial: object | null = null;
  await routed(
    page,
    (url) => url.pathname.endsWith("/system/network"),
    (route) => route.fulfill({ json: { ...NETWORK, trial } }),
  );
  // A browser whose clock is a year behind.
  await page.addInitScript((behind) => {
    const now = Date.now;
    Date.now = () => now() - behind;
  }, YEAR_MS);
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const network = section("Network of this machine");
  const address = network.getByLabel("Address with the length of its network");

  await step("a static address that is typed is there after a look at another page", async () => {
    await go("System");
    await press("Set a static address");
    await address.fill("192.0.2.77/24");
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Subnets", exact: true })
      .click();
    await inDialog("Leave");
    await page.getByRole("heading", { level: 1, name: "Subnets" }).waitFor();
    await go("System");
    await untilEqual(() => address.inputValue(), "192.0.2.77/24");
    await readable(page);
  });

  await step("who discards it by keyboard stays in the form", async () => {
    await network.getByRole("button", { name: "Discard my changes" }).focus();
    await page.keyboard.press("Enter");
    await untilEqual(() => address.inputValue(), "192.0.2.5/24");
    const focused = network.getByLabel("Interface", { exact: true });
    assert.equal(await focused.evaluate((field) => field === document.activeElement), true);
  });

  await step("what is typed while it is tried out is not lost", async () => {
    await routed(page, "**/system/network/preview", (route) =>
      route.fulfill({ json: { tool: "netplan", files: [], commands: [] } }),
    );
    await address.fill("192.0.2.77/24");
    await press("See what it would do");
    const order = await hold("PUT", /\/system\/network$/);
    await press("Try it out");
    await order.asked;
    await address.fill("192.0.2.78/24");
    const read = page.waitForResponse(
      (response) => response.request().method() === "GET" && response.url().endsWith("/system/network"),
    );
    await order.letGo();
    await read;
    await untilEqual(() => address.inputValue(), "192.0.2.78/24");
    await network.getByRole("button", { name: "Discard my changes" }).click();
  });

  await step(
    "the time that is left of a trial is the server's, whatever the browser's clock says",
    async () => {
      trial = {
        change: { interface: "lan0", address: "192.0.2.77/24", gateway: null, dns: [] },
        ends_at: new Date(Date.now() + 3_000_000).toISOString(),
        seconds_left: 3_000,
        problem: null,
      };
      await page.reload();
      await network
        .getByRole("alert")
        .getByText(/\b(50|4\d) min/)
        .waitFor();
    },
  );

  journey.nothingToComplain();
});
