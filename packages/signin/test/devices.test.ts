import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { createDevices } from "../src/devices.ts";
import { parseEmailAddress } from "../src/email-address.ts";
import { sessionKeys } from "../src/session-keys.ts";

const keys = sessionKeys({
  listed: ["a key of at least thirty-two characters"],
  setting: "X_SESSION_KEYS",
  file: "",
});
const [ANNA, BERT, CARL] = [
  parseEmailAddress("anna@example.org"),
  parseEmailAddress("bert@example.org"),
  parseEmailAddress("carl@example.org"),
];

test("a browser that has a cookie from before there was a parent domain is known for whoever signs in later", async () => {
  const of = (domain: string | undefined) =>
    createDevices({ keys, clock: fakeClock(), session: { name: "desk", domain, secure: true } });
  const cookie = (header: string) => header.split(";")[0];
  const [hosts, domains] = [of(undefined), of("example.org")];
  const older = cookie(await hosts.remember(undefined, ANNA));
  // Browsers send the older one first.
  let newer = cookie(await domains.remember(older, BERT));
  newer = cookie(await domains.remember(`${older}; ${newer}`, CARL));
  for (const email of [ANNA, BERT, CARL])
    assert.ok(await domains.find(`${older}; ${newer}`, email), `known for ${email}`);
});
