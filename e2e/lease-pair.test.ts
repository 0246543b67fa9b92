import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { control, ha, labNode, untilBoth } from "../services/lease/engine/test/ha/lab-pair.ts";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { readable } from "./console-journey.ts";
import { leaseJourney } from "./lease-journey.ts";

test("an administrator sees a pair of engines, hands over, and takes over when the other is gone", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, inDialog, told, section, go, signIn, onAPhone } = journey;
  const pair = section("High availability");
  const isIn = (state: string) => pair.getByText(state, { exact: true }).first().waitFor();
  const good = async () => {
    await readable(page);
    await onAPhone();
  };
  const port = await freePort();
  const text = readFileSync(desk.configPath, "utf8");
  const url = `http://${/control_listen = "([^"]+)"/.exec(text)?.[1]}`;
  const primary = { home: desk.home, url };
  const secondary = await labNode(t, `${text.slice(text.indexOf("[[subnet]]"))}\n${nodes(port)}`);

  await step("an engine without a peer says so", async () => {
    await page.goto(desk.url);
    await signIn("admin", PASSWORD);
    await go("System");
    await pair.getByText("Not configured: this engine answers alone.").waitFor();
  });

  await step("two engines are paired and switched on", async () => {
    const write = (more: string) => writeFileSync(desk.configPath, `${text}\n${more}`);
    write(nodes(port));
    await control(primary, "POST", "/v1/reload");
    await secondary.start();
    const invitation = await control<{ address: string; code: string }>(primary, "POST", "/v1/ha/pair");
    const { address, code } = invitation;
    await control(secondary, "POST", "/v1/ha/join", { address, code });
    write(nodes(port).replace("enabled = false", "enabled = true"));
    await control(primary, "POST", "/v1/reload");
    await secondary.kill("SIGTERM");
    const before = readFileSync(secondary.configPath, "utf8");
    writeFileSync(secondary.configPath, before.replace("enabled = false", "enabled = true"));
    const restart = async () => {
      await press("Restart");
      await inDialog("Restart it");
      // Before all else: the message goes by itself.
      await told("The engine is restarted.");
    };
    await Promise.all([secondary.start(), restart()]);
    await untilBoth("both are in normal operation", [primary, secondary], "normal");
    await isIn("Normal");
    await pair.getByText("Primary, hot standby").waitFor();
    await pair.getByText("Connected").waitFor();
    await pair.getByRole("row", { name: /10\.77\.0\.0\/16/ }).waitFor();
    await good();
  });

  await step("it hands over to the other, and back", async () => {
    await press("Maintenance");
    await inDialog("Hand over");
    await isIn("Maintenance");
    await pair.getByText("Yes: this engine can be stopped").waitFor();
    await good();
    await press("End maintenance");
    await isIn("Normal");
  });

  await step("the other is gone: it takes over when somebody says so", async () => {
    await secondary.kill("SIGKILL");
    await isIn("Alone: no contact");
    await pair.getByText(/No connection/).waitFor();
    await good();
    await press("The peer has stopped");
    await page
      .getByRole("dialog")
      .getByText(/two devices can get one address/)
      .waitFor();
    await readable(page);
    await inDialog("It has stopped: take over");
    await isIn("Has taken over");
    await pair.getByText(/the peer's addresses can be given: in /).waitFor();
    await good();
  });

  await step("the history of the console tells who said so", async () => {
    await go("Users");
    await page.getByText("declared the peer down").first().waitFor();
  });
  assert.ok(secondary.process().killed);
});

const nodes = (port: number) => ha(port, false).slice(ha(port, false).indexOf("[ha]"));
