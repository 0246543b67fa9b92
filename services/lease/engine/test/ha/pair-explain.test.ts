import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMac } from "@frontdesk/lease-options/address";
import { ip } from "../desk.ts";
import { octets } from "../desk6.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets6 } from "./packets6.ts";
import { macOf } from "./world-node.ts";

const RELAY = ip("10.77.255.1");
const macBytes = (client: number) => parseMac(macOf(client)) as Uint8Array;

/** The outcome, and what is said of the pair. */
function explained(node: unknown, client = 9): [outcome: string, ofThePair: string] {
  const { outcome = "", steps = [] } = (node as EngineNode).explain(macBytes(client), RELAY) ?? {};
  return [outcome, steps.slice(4).join(" ")];
}

test("explain tells which node answers, and that the time is bounded by what the peer can know", async (t) => {
  const { primary, secondary, pass } = await enginePair(t);
  pass(30);
  const [outcome, said] = explained(primary);
  assert.equal(outcome, "offer");
  assert.match(said, /^In hot standby the primary answers: this node\./);
  assert.deepEqual(explained(secondary)[0], "peer-answers");
  assert.match(
    explained(secondary)[1],
    /^In hot standby the primary answers: the peer\..* No reply: the peer answers/,
  );
  const node = primary as EngineNode;
  node.crash();
  node.edit = (toml) => toml.replace("default_time = 60", "default_time = 3600");
  node.start();
  pass(30);
  assert.match(
    explained(primary)[1],
    /It may keep it for \d+ seconds, and not for 3600: the peer does not know of it yet\./,
  );
});

test("explain does not count as a client that asks: nobody becomes insistent by it", async (t) => {
  const { secondary, pass, ask } = await enginePair(t);
  pass(30);
  for (let i = 0; i < 5; i++) assert.equal(explained(secondary)[0], "peer-answers");
  assert.equal(ask(secondary, { kind: "discover" }), undefined);
});

test("explain tells why nobody is answered at the moment, and why there is no address", async (t) => {
  const { world, primary, secondary, pass, join } = await enginePair(t);
  pass(30);
  primary.run({ kind: "command", command: { name: "maintenance" } });
  assert.match(explained(primary)[1], /^This node is in maintenance and answers nobody/);
  primary.run({ kind: "command", command: { name: "resume" } });
  pass(20);
  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  assert.match(explained(secondary)[1], /^This node is in interrupted: it answers every client\./);
  for (let client = 20; join(secondary, client) !== undefined; client++);
  const [outcome, said] = explained(secondary, 90);
  assert.equal(outcome, "no-free-address");
  assert.match(said, /gives a new client no address that the peer owns/);
  secondary.crash();
  secondary.start();
  assert.match(explained(secondary)[1], /^This node was started less than 10 seconds ago/);
});

test("DHCPv6: explain tells of the pair, too", async (t) => {
  const { secondary, pass } = await enginePair(t, {}, packets6);
  pass(30);
  const { outcome, steps = [] } = (secondary as EngineNode).explain6(octets(`00:03:00:01:${macOf(9)}`)) ?? {};
  assert.equal(outcome, "peer-answers");
  assert.ok(steps.some((step) => step.startsWith("In hot standby the primary answers: the peer.")));
});
