import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { untilEqual } from "@frontdesk/testkit/until";
import { PASSWORD } from "../services/lease/manager/test/manager-desk.ts";
import { leaseJourney } from "./lease-journey.ts";
import { routed, unrouted } from "./routed.ts";

test("in a browser whose clock is wrong, a trial has the time left that the engine gives it", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, press, told, signIn } = journey;
  await page.addInitScript(() => {
    const right = Date.now.bind(Date);
    Date.now = () => right() + 3_600_000;
  });
  await page.goto(`${desk.url}/settings`);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const { headers } = await other("GET", "config");
  const body = `${readFileSync(desk.configPath, "utf8")}\n# on trial\n`;
  const tried = await other("PUT", "config?confirm_within=600", {
    body,
    headers: { "if-match": String(headers.etag) },
  });
  assert.equal(tried.status, 200, tried.text);
  await page.reload();
  const left = /The engine takes it back in (10|9|8|7) min/;
  await told(left);
  // On the first page it is told by the engine's live line.
  await page.goto(desk.url);
  await told(left);
  await press("Take it back now");
  await told("The engine runs what it ran before.");
});

test("a text that was tried and taken back unseen is told apart from what runs: the person chooses", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, press, told, signIn } = journey;
  await page.goto(`${desk.url}/settings`);
  await signIn("admin", PASSWORD);
  const before = readFileSync(desk.configPath, "utf8");
  await page.getByText("Text (TOML)").click();
  const text = page.getByRole("textbox", { name: "Configuration, TOML" });
  const type = async (words: string) => {
    await text.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(words);
  };
  await type("# first");
  // Nothing is heard of the server but the answers to what is written.
  const isRead = (url: URL) => url.pathname.startsWith("/api/");
  await routed(page, isRead, (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );
  await press("Try it out");
  await untilEqual(() => readFileSync(desk.configPath, "utf8"), `${before}# first`);
  const other = await desk.signedIn();
  assert.equal((await other("POST", "config/take-back")).status, 200);
  await type(" second");
  await unrouted(page, isRead);
  await press("Save and apply");
  await told("The configuration was changed elsewhere");
  await press("Keep mine");
  // What was refused is settled: the sentence would be of something that is not so any more.
  await untilEqual(() => page.locator("form [role=alert]").count(), 0);
  await press("Save and apply");
  await untilEqual(() => readFileSync(desk.configPath, "utf8"), `${before}# first second`);
});

test("whoever takes back what they see on trial takes back no other trial that somebody has begun since", async (t) => {
  const journey = await leaseJourney(t);
  if (!journey) return;
  const { desk, page, press, told, signIn } = journey;
  await page.goto(`${desk.url}/settings`);
  await signIn("admin", PASSWORD);
  const other = await desk.signedIn();
  const tryOut = async (words: string) => {
    const { headers, text } = await other("GET", "config");
    const tried = await other("PUT", "config?confirm_within=600", {
      body: `${text}# ${words}\n`,
      headers: { "if-match": String(headers.etag) },
    });
    assert.equal(tried.status, 200, tried.text);
    return tried.json.version;
  };
  await tryOut("mine");
  await page.reload();
  await page.getByRole("button", { name: "Take it back now" }).waitFor();
  const isRead = (url: URL) => url.pathname.startsWith("/api/");
  await routed(page, isRead, (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );
  assert.equal((await other("POST", "config/take-back")).status, 200);
  const theirs = await tryOut("theirs");
  await press("Take it back now");
  await told("No such change is being tried out.");
  assert.equal((await other("GET", "config/full")).json.trial.version, theirs);
  await unrouted(page, isRead);
});
