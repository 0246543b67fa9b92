import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMac } from "@frontdesk/lease-options/address";
import type { Core } from "../../src/ha/core-state.ts";
import { ownerOf } from "../../src/ha/ownership.ts";
import { isFresh } from "../../src/ha/rights.ts";
import { isEnded } from "../../src/ha/row.ts";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { LEAD, SKEW } from "./steps.ts";
import { macOf } from "./world-node.ts";

test("where the wall clocks agree, leases end, though one of the clocks was set since the store was made", async (t) => {
  const offsets = { primary: 0, secondary: -40 };
  const { world, primary, secondary, pass, join } = await enginePair(t, { offsets });
  pass(20);
  world.run({ do: "set clocks", node: "secondary", by: 40, r: 1 });
  pass(20);
  assert.ok(Math.abs(primary.core?.clockDifference ?? SKEW) <= 1, "they agree");
  const address = join(primary, 9) as number;
  pass(60 + 2 * SKEW + 10);
  for (const node of [primary, secondary]) {
    const row = node.rows.get(address);
    assert.ok(row && isEnded(row), `the ${node.role} has ended it`);
  }
});

for (const how of ["machine", "sleep", "process"] as const) {
  test(`a node that stood still (${how}) while its peer took over gives nothing to new clients without contact`, async (t) => {
    const { world, secondary, pass, join } = await enginePair(t);
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    assert.ok(join(secondary, 9) !== undefined, "it serves alone");
    world.run({ do: "pause", node: "secondary", how, r: 1 });
    pass(10);
    world.run({ do: "partner-down", node: "primary", isWrong: false, ago: 0, r: 1 });
    world.now += LEAD + SKEW;
    world.run({ do: "resume", node: "secondary", r: 1 });
    // A packet that waited in the socket comes before anything else.
    assert.equal(join(secondary, 10), undefined);
    pass(2);
    assert.equal(join(secondary, 10), undefined);
  });
}

for (const [by, what] of [
  [-SKEW, "as far as the time of the pair stands still for it"],
  [-7, "so far that the link begins anew"],
] as const) {
  test(`a process that stood still notices it though its clock was set back meanwhile, ${what}`, async (t) => {
    const { world, secondary, pass } = await enginePair(t);
    pass(30);
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    const isCertain = () => isFresh(secondary.core as Core, secondary.now);
    assert.ok(isCertain());
    world.run({ do: "pause", node: "secondary", how: "process", r: 1 });
    pass(7);
    world.run({ do: "set clocks", node: "secondary", by, r: 1 });
    world.run({ do: "resume", node: "secondary", r: 1 });
    pass(1);
    assert.equal(isCertain(), false);
    pass(12);
    assert.equal(isCertain(), false);
  });
}

for (const by of [-3600, 3600]) {
  test(`both clocks set by ${by} s end no lease of a pair early, and prolong none`, async (t) => {
    const { world, primary, secondary, pass, join } = await enginePair(t);
    pass(30);
    const address = join(primary, 9) as number;
    const told = world.now + LEAD;
    pass(5);
    world.run({ do: "set clocks", node: "both", by, r: 1 });
    const isHeld = () => [primary, secondary].map((node) => !isEnded(node.rows.get(address) as never));
    pass(told - world.now);
    assert.deepEqual(isHeld(), [true, true]);
    pass(2 * SKEW + 5);
    assert.deepEqual(isHeld(), [false, false]);
  });
}

test("leases of a peer whose clock is wrong last as long as they were told, also when that clock is set", async (t) => {
  const { world, primary, secondary, pass, join } = await enginePair(t, {
    offsets: { primary: 0, secondary: 3600 },
  });
  pass(30);
  const address = join(primary, 9) as number;
  pass(5);
  world.run({ do: "set clocks", node: "secondary", by: -3600, r: 1 });
  pass(5);
  const left = [primary, secondary].map((node) => (node.rows.get(address)?.end ?? 0) - node.now);
  assert.ok(Math.abs((left[0] as number) - (left[1] as number)) <= SKEW, `${left}`);
});

for (const [by, when] of [
  [-3600, "back while it runs"],
  [-3600, "back while its process is down"],
  [3600, "ahead while nothing can be written"],
] as const) {
  test(`a survivor whose clock is set ${when} waits as long as it had to`, async (t) => {
    const { world, primary, pass } = await enginePair(t);
    pass(30);
    world.run({ do: "crash", node: "secondary", r: 1 });
    pass(8);
    world.run({ do: "partner-down", node: "primary", isWrong: false, ago: 0, r: 1 });
    const waits = () => {
      const { takeover, ownership } = (primary.core as Core).durable;
      const usableFrom = Math.max(ownership.usableFrom, ...ownership.ranges.map((range) => range.usableFrom));
      return { at: takeover?.at ?? 0, usableFrom };
    };
    const before = waits();
    assert.ok(before.usableFrom > before.at, "it waits");
    pass(5);
    const isDown = when.endsWith("down");
    if (isDown) primary.crash();
    world.run({ do: "set clocks", node: "primary", by, r: 1 });
    if (isDown) primary.start();
    if (when.endsWith("written")) primary.commitFault = "refused";
    pass(2);
    const { at, usableFrom } = waits();
    assert.ok(Math.abs(at - (before.at + by)) <= 2, `${at} after ${before.at}`);
    assert.ok(
      Math.abs(usableFrom - (before.usableFrom + by)) <= 2,
      `${usableFrom} after ${before.usableFrom}`,
    );
    const kept = primary.disk.durable;
    assert.equal(kept.takeover?.at, at, "it is on disk as well");
  });
}

for (const ahead of [3600, -3600]) {
  test(`leases that end near 2106 go on at both, though the clock of one was ${ahead} s ahead when its store was made`, async (t) => {
    const pair = await enginePair(t, { offsets: { primary: ahead, secondary: 0 } });
    const nodes = [pair.primary as EngineNode, pair.secondary as EngineNode];
    pair.pass(10);
    pair.world.run({ do: "set clocks", node: "primary", by: -ahead, r: 1 });
    pair.pass(30);
    const { durable, plan } = pair.primary.core as Core;
    const all = Array.from({ length: 8 }, (_, i) => Number(plan.pools[0]?.first) + i);
    const imports = nodes.map((node, i) => {
      const isOwn = (address: number) => ownerOf(durable.ownership, address).owner === node.role;
      const ip = all.find((address) => isOwn(address) && !plan.reserved.has(address)) as number;
      const mac = parseMac(macOf(10 + i)) as Uint8Array;
      return { node, lease: { ip, mac, clientId: null, hostname: null, until: FOREVER - 1 } };
    });
    for (const { node, lease } of imports) assert.equal(node.import(lease), "pending");
    pair.pass(2 * SKEW);
    for (const { node, lease } of imports) assert.equal(node.import(lease), undefined, "the peer has it");
    for (const node of nodes) {
      for (const [i, { lease }] of imports.entries()) {
        const renewed = pair.ask(node, { kind: "renew", client: 10 + i, address: lease.ip, isUnicast: true });
        assert.equal(renewed?.kind, "ack");
      }
      pair.pass(2);
    }
    for (const { lease } of imports) {
      for (const { rows } of nodes) {
        const { state, end = 0 } = rows.get(lease.ip) ?? {};
        assert.ok(state === STATE.bound && end > FOREVER - 10_000 && end < FOREVER, `${state} until ${end}`);
      }
    }
    assert.deepEqual(
      nodes.map(({ core }) => core?.state),
      ["normal", "normal"],
    );
  });
}
