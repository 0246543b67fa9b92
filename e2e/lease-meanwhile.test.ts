import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

const CLASSES = ["Phones, old", "Phones", "old"]
  .map((name, at) => `\n[[class]]\nname = "${name}"\nmatch = "mac starts_with '0${at}'"\n`)
  .join("");

test("what people do in a form of the lease console while it is saved, or after, stays as they meant it", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, press, told, section, signIn, hold } = journey;
  const file = () => readFileSync(desk.configPath, "utf8");
  await page.goto(desk.url);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const writeFile = async (body: string) => {
    const { headers } = await other("GET", "config");
    const put = await other("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
    assert.equal(put.status, 200, put.text);
  };
  const timings = section("Lease timings");
  const time = timings.getByLabel("Lease time", { exact: true });
  const discard = (form: typeof timings) => form.getByRole("button", { name: "Discard my changes" }).click();

  await step("classes of a pool stay, also one with a comma in its name", async () => {
    const pool = 'range = "10.77.1.1 - 10.77.1.250"';
    await writeFile(`${file().replace(pool, `${pool}\n  classes = ["Phones, old"]`)}${CLASSES}`);
    await page.goto(`${desk.url}/subnets`);
    await press("Edit 10.77.0.0/16");
    const subnet = section("10.77.0.0/16");
    await subnet.getByLabel("Lease time, in seconds").fill("3600");
    await subnet.getByRole("button", { name: "Save and apply" }).click();
    await told(/^Saved/);
    assert.match(file(), /default_time = 3600/);
    assert.match(file(), /classes = \["Phones, old"\]/);
  });

  await step("whoever saves a new class by Enter stays in its field", async () => {
    await page.goto(`${desk.url}/settings`);
    const classes = section("Classes");
    await classes.getByRole("button", { name: "Add a class" }).click();
    await classes.getByLabel("Name", { exact: true }).last().fill("Cameras");
    await classes.getByLabel("Rule", { exact: true }).last().fill("mac starts_with '0e'");
    await classes.getByLabel("Lease time", { exact: true }).last().fill("60");
    await page.keyboard.press("Enter");
    await told(/^Saved/);
    await classes.getByRole("button", { name: "Discard my changes" }).waitFor({ state: "detached" });
    await page.keyboard.type("0");
    await untilEqual(() => classes.getByLabel("Lease time", { exact: true }).last().inputValue(), "600");
    await discard(classes);
  });

  await step("whoever types on while it is refused goes on in the same field", async () => {
    await time.fill("an hour");
    const last = timings.locator("input").last();
    await last.fill("1");
    const put = await hold("PUT", /config\/full/);
    await page.keyboard.press("Enter");
    await put.asked;
    await page.keyboard.type("2");
    await put.letGo();
    await untilEqual(() => time.getAttribute("aria-invalid"), "true");
    await page.keyboard.type("3");
    assert.equal(await last.inputValue(), "123");
    assert.equal(await time.inputValue(), "an hour");
    await discard(timings);
  });

  await step("what is under way goes on when the form is discarded", async () => {
    const save = timings.getByRole("button", { name: "Save and apply" });
    await time.fill("7000");
    const put = await hold("PUT", /config\/full/);
    await save.click();
    await put.asked;
    await discard(timings);
    await time.fill("8000");
    assert.equal(await save.getAttribute("aria-busy"), "true");
    await put.letGo();
    await told(/^Saved/);
    assert.match(file(), /default_time = 7000/);
    await untilEqual(() => save.getAttribute("aria-busy"), null);
    await untilEqual(() => time.inputValue(), "8000");
    await discard(timings);
  });

  await step("two versions of a secret are not shown beside each other", async () => {
    await writeFile(`${file()}\n[ddns]\ntsig_secret = "b2xkc2VjcmV0b2xk"\n`);
    await page.reload();
    const ddns = section("Dynamic DNS");
    await ddns.locator("input[type=password]").fill("bXlzZWNyZXRteXNlY3JldA==");
    await writeFile(file().replace("b2xkc2VjcmV0b2xk", "dGhlaXJzZWNyZXQ="));
    await ddns.getByRole("button", { name: "Save and apply" }).click();
    const row = ddns.getByRole("row").filter({ hasText: "TSIG secret" });
    await row.waitFor();
    assert.equal(await row.textContent(), "TSIG secretSetAnother one");
  });
  journey.nothingToComplain();
});
