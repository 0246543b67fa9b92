import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";

const classTable = (name: string, minTime: number) =>
  `\n[[class]]\nname = "${name}"\nmatch = "option[93] == 0x0007"\nmin_time = ${minTime}\n`;

test("what is typed into a class stays with it when somebody else adds one before it", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, step, section, go, signIn } = journey;
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

  await step("a class keeps the settings that the form does not show", async () => {
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

  journey.nothingToComplain();
});
