import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

const classTable = (name: string, minTime: number) =>
  `\n[[class]]\nname = "${name}"\nmatch = "option[93] == 0x0007"\nmin_time = ${minTime}\n`;

test("what the forms of the lease console do not show stays with what it belongs to", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, told, section, go, signIn, hold } = journey;
  const file = () => readFileSync(desk.configPath, "utf8");
  const other = await desk.signedIn();
  const writeFile = async (body: string) => {
    const { headers } = await other("GET", "config");
    const put = await other("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
    assert.equal(put.status, 200, put.text);
  };
  const bare = file();
  await writeFile(bare + classTable("phones", 111));
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);

  const full = async () => (await other("GET", "config/full")).json;
  const change = async (part: object) => {
    const { config, version } = await full();
    const body = { config: { ...config, ...part } };
    const put = await other("PUT", "config/full", { body, headers: { "if-match": `"${version}"` } });
    assert.equal(put.status, 200, put.text);
  };
  const network = "10.77.0.0/16";
  const pool = {
    range: "10.77.1.1 - 10.77.1.250",
    default_time: 900,
    options: { routers: ["10.77.0.2"], domain_name: "a, b" },
  };
  const pools = async () => (await full()).config.subnet[0].pool;
  const subnet = section(network);
  const invalid = (form: typeof subnet) =>
    form
      .locator("input[aria-invalid=true]")
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));

  await step("with a class, when somebody else adds one before it", async () => {
    await go("Settings");
    const classes = section("Classes");
    await classes.getByLabel("Lease time", { exact: true }).fill("900");
    await writeFile(bare + classTable("cameras", 222) + classTable("phones", 111));
    await classes.getByRole("button", { name: "Save and apply" }).click();
    await classes.getByText("Classes was changed elsewhere").waitFor();
    await classes.getByRole("button", { name: "Keep mine" }).click();
    await classes.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(async () => /default_time = 900/.test(file()), true);
    const [, phones = ""] = file().split("[[class]]");
    assert.match(phones, /name = "phones"/);
    assert.match(phones, /min_time = 111/);
  });

  await step("with a class that is renamed, and changed again while that is saved", async () => {
    const phones = { name: "phones", match: "option[93] == 0x0007", min_time: 60, next_server: "10.77.0.9" };
    await change({ class: [{ ...phones, options: { domain_name: "a, b" } }] });
    await page.reload();
    const classes = section("Classes");
    await classes.getByLabel("Name", { exact: true }).fill("handsets");
    const save = await hold("PUT", /\/config\/full$/);
    await classes.getByRole("button", { name: "Save and apply" }).click();
    await save.asked;
    await classes.getByLabel("Lease time", { exact: true }).fill("2400");
    await save.letGo();
    await told(/^Saved/);
    await classes.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(async () => (await full()).config.class[0].default_time, 2400);
    assert.deepEqual((await full()).config.class, [
      { ...phones, name: "handsets", default_time: 2400, options: { domain_name: "a, b" } },
    ]);
  });

  await step("with a pool whose range is changed, and that is changed again while it is saved", async () => {
    await change({ subnet: [{ network, pool: [pool] }] });
    await page.reload();
    await go("Subnets");
    await press(`Edit ${network}`);
    await subnet.getByLabel(/^Range/).fill("10.77.1.1 - 10.77.1.200");
    const save = await hold("PUT", /\/config\/full$/);
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await save.asked;
    await subnet.getByLabel("Lease time").fill("2400");
    await save.letGo();
    await told(/^Saved/);
    // A version that has nothing to do with it is no other one of it.
    await change({ class: undefined });
    page.once("dialog", (asked) => void asked.accept());
    await page.reload();
    await untilEqual(() => subnet.getByLabel("Lease time").inputValue(), "2400");
    assert.equal(await subnet.getByText("was changed elsewhere").count(), 0);
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(async () => (await full()).config.subnet[0].default_time, 2400);
    assert.deepEqual(await pools(), [{ ...pool, range: "10.77.1.1 - 10.77.1.200" }]);
  });

  await step("with a pool whose range somebody else has changed, which is told in words", async () => {
    await change({ subnet: [{ network, pool: [pool] }] });
    await page.reload();
    await press(`Edit ${network}`);
    await subnet.getByLabel("Lease time").fill("1200");
    const theirs = { range: "10.77.1.1 - 10.77.1.240", exclude: ["10.77.1.9"], default_time: 600 };
    await change({ subnet: [{ network, pool: [theirs] }] });
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await subnet.getByText(`${network} was changed elsewhere`).waitFor();
    await subnet
      .getByRole("row", {
        name: "Pool 1 10.77.1.1 - 10.77.1.240; without 10.77.1.9; Lease time: 600 10.77.1.1 - 10.77.1.250; Lease time: 900; Option routers: 10.77.0.2; Option domain_name: a, b",
      })
      .waitFor();
    await subnet.getByRole("button", { name: "Keep mine" }).click();
    assert.equal(await subnet.getByRole("alert").count(), 0);
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(async () => (await full()).config.subnet[0].default_time, 1200);
    assert.deepEqual(await pools(), [pool]);
  });

  journey.nothingToComplain();

  await step("what is wrong with a pool or a class stays with it when one before it is removed", async () => {
    await press(`Edit ${network}`);
    const outside = "10.99.1.1 - 10.99.1.5";
    for (const [at, range] of [outside, "10.77.5.1 - 10.77.5.5"].entries()) {
      await subnet.getByRole("button", { name: "Add a pool" }).click();
      await subnet
        .getByLabel(/^Range/)
        .nth(at + 1)
        .fill(range);
    }
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => invalid(subnet), [outside]);
    await subnet.getByRole("button", { name: "Remove pool 1" }).click();
    assert.deepEqual(await invalid(subnet), [outside]);
    await subnet.getByRole("button", { name: "Discard my changes" }).click();
    await go("Settings");
    const classes = section("Classes");
    for (const [at, rule] of ["option[93] == 0x0006", "not a rule", "option[93] == 0x0007"].entries()) {
      await classes.getByRole("button", { name: "Add a class" }).click();
      await classes.getByLabel("Name", { exact: true }).nth(at).fill(`class-${at}`);
      await classes.getByLabel("Rule").nth(at).fill(rule);
    }
    await classes.getByRole("button", { name: "Save and apply" }).click();
    await untilEqual(() => invalid(classes), ["not a rule"]);
    await classes.getByRole("button", { name: "Remove class class-0" }).click();
    assert.deepEqual(await invalid(classes), ["not a rule"]);
    await classes.getByRole("button", { name: "Discard my changes" }).click();
  });
});
