import assert from "node:assert/strict";
import { test } from "node:test";
import { createAddressGuard } from "../src/delivery/address-guard.ts";
import { createGuardedAgent } from "../src/delivery/guarded-agent.ts";
import type { NameLookup } from "../src/delivery/name-lookup.ts";
import { createPoster } from "../src/delivery/poster.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";
import { startReceiver } from "./receiver.ts";

const REFUSED = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "[::1]",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::808:808",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "localhost",
  "",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "172.32.0.1",
  "192.169.0.1",
  "2606:4700::1111",
  "2a00::1",
];

test("addresses that are not for everyone are refused, however they are written", () => {
  const guard = createAddressGuard([]);
  // IPv4 in IPv6 clothes is judged as IPv4, so the public one among them is public.
  for (const address of REFUSED.filter((each) => each !== "::ffff:8.8.8.8")) {
    assert.equal(guard(address), "refused", address);
  }
  for (const address of PUBLIC) assert.equal(guard(address), "public", address);
});

test("exceptions are addresses or networks, and a mistake in them is told", () => {
  const guard = createAddressGuard(["10.1.0.0/16", "::1", "127.0.0.1"]);
  assert.equal(guard("10.1.255.1"), "allowed");
  assert.equal(guard("::1"), "allowed");
  assert.equal(guard("::ffff:127.0.0.1"), "allowed");
  assert.equal(guard("10.2.0.1"), "refused");
  assert.equal(guard("127.0.0.2"), "refused");
  for (const wrong of ["localhost", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "::/129"]) {
    assert.throws(() => createAddressGuard([wrong]), /PRESENCE_WEBHOOK_ALLOW must hold/, wrong);
  }
});

/** A resolver that knows what a test tells it. */
const resolver =
  (answers: Record<string, string[][]>): NameLookup =>
  async (name) => {
    const turn = answers[name]?.shift() ?? assert.fail(`no address for ${name}`);
    return turn.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };

test("what is connected to is judged, not what it is called", async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  const lookup = resolver({
    "inside.example": [["127.0.0.1"]],
    "mixed.example": [["10.0.0.1", "127.0.0.1"]],
    "rebound.example": [["127.0.0.1"], ["169.254.169.254"]],
  });
  const post = (allow: string[], url: string) => {
    const agent = createGuardedAgent({ guard: createAddressGuard(allow), lookup });
    lastInFirstOut(t).after(() => agent.destroy());
    return createPoster({ agent, limitMs: 2_000 }).post(url, {}, "{}");
  };
  const literals = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "017700000001",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "0.0.0.0",
  ];
  for (const literal of literals) {
    const { ok, error } = await post([], `http://${literal}:${port}/`);
    assert.match(error ?? "", /is private; allow it with PRESENCE_WEBHOOK_ALLOW/, literal);
    assert.equal(ok, false, literal);
  }
  const inside = await post([], `http://inside.example:${port}/`);
  assert.match(inside.error ?? "", /127\.0\.0\.1 is private; allow it with PRESENCE_WEBHOOK_ALLOW/);
  assert.equal(receiver.connections, 0, "nobody was connected to");

  const mixed = await post(["127.0.0.1"], `http://mixed.example:${port}/`);
  assert.equal(mixed.ok, true, "of several addresses, those that are allowed are used");
  const first = await post(["127.0.0.1"], `http://rebound.example:${port}/`);
  assert.equal(first.ok, true);
  const second = await post(["127.0.0.1"], `http://rebound.example:${port}/`);
  assert.match(second.error ?? "", /169\.254\.169\.254 is private/, "a name that changes its mind");
});

test("plain http is for addresses that were allowed by name", async (t) => {
  const lookup = resolver({ "public.example": [["192.0.2.1"]] });
  // Documentation addresses stand in for public ones; the verdict is what matters, nothing is sent.
  const guard = (address: string) => (address === "192.0.2.1" ? "public" : "refused");
  const agent = createGuardedAgent({ guard, lookup });
  lastInFirstOut(t).after(() => agent.destroy());
  const { error } = await createPoster({ agent, limitMs: 2_000 }).post("http://public.example/", {}, "{}");
  assert.equal(error, "192.0.2.1 is reached by https only");
});
