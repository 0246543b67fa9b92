import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "@frontdesk/lease-config/validate";
import { ChangeQueue } from "../../src/ha/change-queue.ts";
import { statusOf } from "../../src/ha/status.ts";
import { serviceHashOf } from "../../src/service-hash.ts";
import { BEAT, HELLO, NOW, secondary } from "./core-node.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";

const FACTS = {
  conflicts: 0,
  shortened: 0,
  sent: 0,
  received: 0,
  unacked: 0,
  oldestUnackedAt: undefined,
  aloneSince: undefined,
  lastResync: null,
};

test("the status tells since when the peer is in its state, and whether both tell clients the same", () => {
  const node = secondary();
  node.connect();
  node.hear(HELLO);
  assert.deepEqual(
    [statusOf(node.core, FACTS, NOW).peer.since, statusOf(node.core, FACTS, NOW).serviceHashEqual],
    [null, null],
  );
  node.hear({ ...BEAT, since: NOW - 77 });
  const same = statusOf(node.core, FACTS, NOW);
  assert.deepEqual([same.peer.since, same.serviceHashEqual, same.advice], [NOW - 77, true, null]);
  node.hear({ ...BEAT, service: "another" });
  const other = statusOf(node.core, FACTS, NOW);
  assert.equal(other.serviceHashEqual, false);
  assert.match(other.advice ?? "", /the same options, times and classes/);
});

const SERVER = '[server]\ninterfaces = ["eth0"]\n';
const NETWORK =
  '[lease]\ndefault_time = 600\n[[subnet]]\nnetwork = "10.0.0.0/24"\n[subnet.options]\nrouters = ["10.0.0.1"]\n';
const hashOf = (text: string) => serviceHashOf(parseConfig(text).raw);

test("what clients are told is the same whatever a machine has of its own, and however it is written", () => {
  const mine = hashOf(SERVER + NETWORK);
  const other =
    '# the other machine\n[server]\ninterfaces = ["ens3"]\nrun_as = "dhcp"\n[logging]\nfiles = 3\n';
  assert.equal(hashOf(other + NETWORK), mine);
  assert.notEqual(hashOf(SERVER + NETWORK.replace("600", "900")), mine);
  assert.notEqual(hashOf(SERVER + NETWORK.replace('10.0.0.1"', '10.0.0.254"')), mine);
});

test("a row that was changed again counts once, and the oldest change is one that still holds", () => {
  const queue = new ChangeQueue();
  for (const [seq, address] of [
    [1, 10],
    [2, 11],
    [3, 10],
    [4, 12],
  ] as const)
    queue.add({ seq, address, at: seq });
  queue.retire(1);
  assert.deepEqual([queue.length, queue.oldest?.seq], [3, 2]);
  queue.forgetUpTo(2);
  assert.deepEqual([queue.length, queue.oldest?.seq], [2, 3]);
  queue.retire(1);
  assert.equal(queue.length, 2, "it is acknowledged already");
});

test("a client that renews while the peer is away is one change that the peer lacks", async (t) => {
  const { world, primary, pass, join, ask } = await enginePair(t);
  pass(30);
  const address = join(primary, 9);
  pass(3);
  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  for (let i = 0; i < 50; i++) assert.equal(ask(primary, { kind: "renew", address })?.kind, "ack");
  assert.equal((primary as EngineNode).pairStatus.unackedUpdates, 1);
});

test("an exchange of changes counts what was sent and what was received, on both sides", async (t) => {
  const { world, primary, secondary, pass, join } = await enginePair(t);
  pass(30);
  for (const client of [1, 2, 3]) join(primary, client);
  pass(3);
  world.run({ do: "lose disk", node: "secondary", r: 1 });
  pass(40);
  const rows = [primary, secondary].map((node) => (node as EngineNode).pairStatus.lastResync?.rows ?? 0);
  assert.ok(
    rows.every((count) => count >= 3),
    String(rows),
  );
});

test("a node without an exchange of changes is alone, also while there is a connection", async (t) => {
  const { primary, secondary, pass } = await enginePair(t);
  pass(30);
  assert.equal((primary as EngineNode).pairStatus.aloneSeconds, 0);
  primary.run({ kind: "command", command: { name: "maintenance" } });
  pass(20);
  const { link, aloneSeconds } = (secondary as EngineNode).pairStatus;
  assert.notEqual(secondary.core?.link, null, "they are connected");
  assert.equal(link, "down");
  assert.ok(aloneSeconds >= 10, `${aloneSeconds} s`);
});

test("two nodes whose pools have differed since they were paired say so, and which of them gives new clients nothing", async (t) => {
  const pair = await enginePair(t);
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  secondary.crash();
  secondary.loseDisk();
  secondary.edit = (toml) => toml.replace(/(range = "[\d.]+ - 10\.77\.1\.)\d+"/, '$13"');
  secondary.start();
  pair.pass(30);
  for (const { pairStatus } of [primary, secondary]) {
    assert.deepEqual([pairStatus.state, pairStatus.plan], ["normal", { agreed: false, frozen: true }]);
    assert.match(pairStatus.advice ?? "", /same subnets, pools and reservations/);
  }
  assert.doesNotMatch(primary.pairStatus.advice ?? "", /gives new clients nothing/);
  assert.match(secondary.pairStatus.advice ?? "", /gives new clients nothing until then/);
  secondary.edit = (toml) => toml;
  secondary.run({ kind: "plan", plan: secondary.plan });
  pair.pass(5);
  assert.deepEqual(secondary.pairStatus.plan, { agreed: true, frozen: false });
  assert.equal(secondary.pairStatus.advice, null);
});

test("where one node was reloaded without a part of a pool, the holder of an address there renews it at both", async (t) => {
  const pair = await enginePair(t, { mode: "load-balancing" });
  const { pass, ask, join } = pair;
  const primary = pair.primary as EngineNode;
  pass(30);
  // Of the eight addresses of the pool, the last ones are taken out of it.
  const held = [20, 21, 22, 23, 24, 25, 26]
    .map((client) => ({ client, address: join(primary, client) ?? join(pair.secondary, client) }))
    .filter(({ address }) => address !== undefined);
  const last = held.toSorted((a, b) => Number(a.address) - Number(b.address)).at(-1);
  assert.ok(last);
  pass(3);
  primary.edit = (toml) => toml.replace(/(range = "[\d.]+ - 10\.77\.1\.)\d+"/, '$13"');
  primary.run({ kind: "plan", plan: primary.plan });
  pass(3);
  for (const node of [primary, pair.secondary]) {
    assert.equal(ask(node, { kind: "renew", ...last, isUnicast: true })?.kind, "ack", node.role);
  }
});
