import assert from "node:assert/strict";
import { test } from "node:test";
import { peerOf } from "../../src/ha/ownership.ts";
import { STATE } from "../../src/leases/binding.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { LEAD, SKEW } from "./steps.ts";

for (const [family, packets] of [
  ["IPv4", packets4],
  ["IPv6", packets6],
] as const) {
  test(`${family}: a node that gets everything from its peer tells what has ended by that, and not what it knew`, async (t) => {
    const pair = await enginePair(t, {}, packets);
    const { world, pass, join } = pair;
    const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
    pass(30);
    const known = join(primary, 9) as number;
    pass(3);
    const told = (address: number) => secondary.history(address).map(([type, , reason]) => [type, reason]);
    const before = told(known);
    assert.equal(before.length, 1);
    // What the secondary gives while it is alone, and the primary never hears of.
    world.run({ do: "partition", isOn: true, r: 1 });
    pass(8);
    const own = join(secondary, 10) as number;
    assert.notEqual(own, undefined);
    primary.crash();
    world.run({ do: "partition", isOn: false, r: 1 });
    // It was started without its peer in between, which therefore sends it everything.
    secondary.crash();
    secondary.forgetPair();
    secondary.start();
    primary.start();
    pass(60);
    assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
    assert.deepEqual(told(known), before, "it was known");
    assert.deepEqual(told(own).at(-1), ["expire", "by-peer"], JSON.stringify(told(own)));
    pass(5);
    assert.equal(told(own).filter(([type]) => type === "expire").length, 1, "once");
  });

  test(`${family}: a node that takes over while it gets everything goes on with the leases that it held before`, async (t) => {
    const pair = await enginePair(t, {}, packets);
    const { pass, join, ask } = pair;
    const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
    pass(30);
    const held = join(primary, 9) as number;
    pass(3);
    primary.crash();
    secondary.crash();
    secondary.forgetPair();
    secondary.start();
    // It is told to begin anew, and the primary is lost before it has sent anything.
    for (let tries = 0; tries < 20 && secondary.core?.state !== "recover"; tries++) {
      if (primary.status === "down") primary.start();
      primary.commitFault = "crash after sending";
      pass(1);
    }
    assert.equal(secondary.core?.state, "recover");
    assert.equal(secondary.rows.has(held), false);
    assert.equal(primary.status, "down");
    pass(6);
    secondary.run({ kind: "command", command: { name: "partner-down", force: true } });
    assert.equal(secondary.core?.state, "partner_down");
    assert.equal(secondary.rows.get(held)?.state, STATE.bound);
    const told = secondary.history(held).map(([type]) => type);
    assert.deepEqual(told, ["grant"], "nothing has become of it");
    assert.equal(ask(secondary, { kind: "renew", client: 9, address: held })?.kind, "ack");
    pass(120);
    const later = secondary.history(held).map(([type]) => type);
    assert.equal(later.filter((type) => type === "expire").length, 1, JSON.stringify(later));
  });

  for (const what of ["leaves the pair", "is paired with a new machine"] as const)
    test(`${family}: a node that ${what} while it gets everything goes on with the leases that it held before`, async (t) => {
      const pair = await enginePair(t, {}, packets);
      const { pass, join } = pair;
      const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
      pass(30);
      const held = join(primary, 9) as number;
      pass(3);
      primary.crash();
      secondary.crash();
      secondary.forgetPair();
      secondary.start();
      for (let tries = 0; tries < 20 && secondary.core?.state !== "recover"; tries++) {
        if (primary.status === "down") primary.start();
        primary.commitFault = "crash after sending";
        pass(1);
      }
      assert.deepEqual([secondary.core?.state, secondary.rows.has(held)], ["recover", false]);
      if (what === "leaves the pair") {
        secondary.crash();
        secondary.forgetPair();
        assert.deepEqual(
          [...(packets === packets4 ? secondary.store.all() : secondary.store.all6())].length,
          1,
        );
        secondary.start();
        assert.equal(secondary.rows.get(held)?.state, STATE.bound);
        assert.ok(secondary.store.cleared.isEmpty);
        return;
      }
      primary.loseDisk();
      secondary.pairAnew();
      primary.start();
      pass(20);
      for (const { core, rows } of [primary, secondary])
        assert.deepEqual([core?.state, rows.get(held)?.state], ["normal", STATE.bound]);
    });

  test(`${family}: a node that takes over while it gets everything keeps quarantines, and leases for reservations`, async (t) => {
    const pair = await enginePair(t, {}, packets);
    const { pass, join, ask } = pair;
    const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
    pass(30);
    // The first address of the plan is reserved for the first client.
    const [reserved] = [...(primary.core?.plan.reserved.keys() ?? [])].map(Number) as [number];
    assert.equal(join(primary, 0), reserved);
    const declined = join(primary, 9) as number;
    ask(primary, { kind: "decline", client: 9, address: declined });
    pass(3);
    const { client } = secondary.rows.get(reserved) ?? {};
    assert.match(client ?? "", /^reservation/);
    assert.equal(secondary.rows.get(declined)?.state, STATE.declined);
    const restore = secondary.remember();
    join(primary, 8);
    // Until the primary has kept what was acknowledged.
    pass(15);
    primary.crash();
    secondary.crash();
    restore();
    secondary.start();
    for (let tries = 0; tries < 20 && secondary.core?.state !== "recover"; tries++) {
      if (primary.status === "down") primary.start();
      primary.commitFault = "crash after sending";
      pass(1);
    }
    assert.equal(secondary.core?.state, "recover");
    assert.equal(secondary.rows.size, 0);
    primary.crash();
    pass(6);
    secondary.run({ kind: "command", command: { name: "partner-down", force: true } });
    assert.equal(secondary.rows.get(reserved)?.client, client);
    assert.equal(secondary.rows.get(declined)?.state, STATE.declined);
    pass(3 * LEAD);
    assert.equal(secondary.rows.get(declined)?.state, STATE.expired, "it ends as it would have");
    const told = secondary.history(declined).map(([type]) => type);
    assert.equal(told.filter((type) => type === "decline").length, 1, JSON.stringify(told));
  });

  for (const role of ["primary", "secondary"] as const) {
    test(`${family}: what a ${role} gave since it took over while it got everything outlasts the return of its peer`, async (t) => {
      const pair = await enginePair(t, {}, packets);
      const { pass, join } = pair;
      const [node, peer] = [pair[role] as EngineNode, pair[peerOf(role)] as EngineNode];
      pass(30);
      const [held, alsoHeld] = [join(pair.primary, 8), join(pair.primary, 9)] as [number, number];
      pass(3);
      peer.crash();
      node.crash();
      node.forgetPair();
      node.start();
      for (let tries = 0; tries < 20 && node.core?.state !== "recover"; tries++) {
        if (peer.status === "down") peer.start();
        peer.commitFault = "crash after sending";
        pass(1);
      }
      assert.equal(node.core?.state, "recover");
      peer.crash();
      pass(6);
      node.run({ kind: "command", command: { name: "partner-down", force: true } });
      pass(LEAD + SKEW + 2);
      const given = join(node, 10) as number;
      assert.notEqual(given, undefined);
      assert.ok(![held, alsoHeld].includes(given));
      peer.start();
      const isNormal = () => [node, peer].every((each) => each.core?.state === "normal");
      for (let seconds = 0; seconds < 40 && !isNormal(); seconds++) pass(1);
      assert.ok(isNormal());
      for (const each of [node, peer]) assert.equal(each.rows.get(given)?.state, STATE.bound, each.role);
    });
  }
}
