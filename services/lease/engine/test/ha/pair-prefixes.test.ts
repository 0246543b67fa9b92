import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { TYPE6 } from "@frontdesk/lease-options/option6-table";
import type { Settings } from "../../src/ha/core-state.ts";
import type { Message } from "../../src/ha/messages.ts";
import { peerOf, type Role } from "../../src/ha/ownership.ts";
import type { Outgoing6 } from "../../src/loop/wire.ts";
import { packetOf6, pd, type Reply6, replyOf6 } from "../desk6.ts";
import { type EngineNode, Engines } from "./engine-node.ts";
import { DUIDS, packets6 } from "./packets6.ts";
import type { WorldNode } from "./world-node.ts";

const CONFIG = `[dhcpv6]
enabled = true
preferred_time = 3000
valid_time = 5000
[[subnet]]
network = "fd77::/64"
interface = "eth0"
[[subnet.prefix_pool]]
prefix = "fd78::/48"
delegated_length = 56
`;
const PLAN = { hash: "", pools: [], reserved: new Map() };
const [LEAD, SKEW] = [300, 3];
const duid = (n: number) => `00:03:00:01:02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;

function ask(node: EngineNode, type: number, n: number, ...prefixes: string[]): Reply6 | undefined {
  const isNamed = type !== TYPE6.solicit && type !== TYPE6.rebind;
  const server = isNamed ? DUIDS[node.role] : null;
  const bytes = packetOf6(type, { duid: duid(n), server, ias: [pd(1, ...prefixes)] });
  const ingress = {
    interfaceName: "eth0",
    addresses: [],
    sourceAddress: (0xfe80n << 112n) + BigInt(n),
    sourcePort: 546,
    unicast: false,
    lab: false,
  };
  const [reply] = node.receive({ family: 6, bytes, ingress });
  return reply && replyOf6(reply as Outgoing6);
}

/** A whole exchange; the prefix, or nothing. */
function joinAt(node: EngineNode, n: number, wanted: string): string {
  const offered = ask(node, TYPE6.solicit, n, wanted)?.leases[0]?.[1];
  return (offered && ask(node, TYPE6.request, n, offered)?.leases[0]?.[1]) || "";
}

const HELD = "fd78:0:0:100::/56";
/** Two that lie within it. */
const ACROSS = ["fd78:0:0:120::/60", "fd78:0:0:130::/60"];

const ROLES = ["primary", "secondary"] as const;

/** Two engines on one clock, joined by a link that loses nothing. */
function prefixPair(t: TestContext) {
  const engines = new Engines({ ...packets6, config: () => CONFIG });
  t.after(() => engines.close());
  let now = 100_000;
  let link = 0;
  const waiting: Record<Role, Message[]> = { primary: [], secondary: [] };
  const counters = { primary: 0, secondary: 0 };
  const make = (role: Role) => {
    const settings: Settings = {
      node: role,
      role,
      mode: "hot-standby",
      identity: "client_id",
      lead: LEAD,
      skew: SKEW,
      contactTimeout: 5,
      partnerDownAfter: 0,
      share: 0.5,
      servers: [],
    };
    const watcher = {
      sends: (from: WorldNode, messages: readonly Message[]) =>
        void waiting[peerOf(from.role)].push(...messages),
      closes: () => {
        throw new Error("the link was closed");
      },
      finds: () => {},
      tells: () => {},
    };
    const node = engines.make(settings, PLAN, watcher, () => now, 0) as EngineNode;
    node.start();
    return node;
  };
  const nodes = { primary: make("primary"), secondary: make("secondary") };
  const { primary, secondary } = nodes;
  const upOnes = () => ROLES.filter((role) => nodes[role].status === "up");
  const join = (isUp: boolean) => {
    if (isUp) link++;
    for (const role of ROLES) {
      counters[role] = 0;
      waiting[role].length = 0;
    }
    for (const role of upOnes()) nodes[role].run({ kind: "link", id: link, isUp });
  };
  const deliver = () => {
    for (let round = 0; round < 20; round++)
      for (const role of upOnes())
        for (const message of waiting[role].splice(0))
          nodes[role].run({ kind: "message", link, counter: counters[role]++, message });
  };
  const pass = (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      now++;
      for (const role of upOnes()) nodes[role].run({ kind: "tick" });
      deliver();
    }
  };
  const reload = (length: number, ...of: EngineNode[]) => {
    for (const node of of) {
      node.edit = (toml) => toml.replace("delegated_length = 56", `delegated_length = ${length}`);
      node.run({ kind: "plan", plan: PLAN });
    }
  };
  const restart = (node: EngineNode, meanwhile: () => void) => {
    node.crash();
    join(false);
    pass(3);
    meanwhile();
    node.start();
    join(true);
  };
  /** The secondary goes on alone until all that the primary owned free is its own. */
  const takeOver = () => {
    primary.crash();
    join(false);
    pass(10);
    secondary.run({ kind: "command", command: { name: "partner-down" } });
    pass(LEAD + 2 * SKEW);
    assert.equal(secondary.core?.state, "partner_down");
  };
  const assertNormal = () =>
    assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
  join(true);
  pass(40);
  assertNormal();
  return { primary, secondary, pass, reload, restart, takeOver, assertNormal };
}

test("a longer prefix of the peer is nobody else's after a lost disk", (t) => {
  const { primary, secondary, pass, reload, restart, takeOver, assertNormal } = prefixPair(t);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  assert.deepEqual(ask(primary, TYPE6.renew, 1, HELD)?.leases, [[1, HELD, 5000]]);
  reload(60, primary, secondary);
  pass(20);
  restart(secondary, () => secondary.loseDisk());
  pass(60);
  assertNormal();
  takeOver();
  assert.deepEqual(
    ACROSS.map((prefix, n) => joinAt(secondary, n + 2, prefix)).filter((prefix) => ACROSS.includes(prefix)),
    [],
  );
});

test("a longer prefix that the peer gives after this node's reload is nobody else's", (t) => {
  const { primary, secondary, pass, reload, takeOver } = prefixPair(t);
  reload(60, secondary);
  pass(3);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  assert.deepEqual(ask(primary, TYPE6.renew, 1, HELD)?.leases, [[1, HELD, 5000]]);
  reload(60, primary);
  pass(20);
  takeOver();
  assert.deepEqual(
    ACROSS.map((prefix, n) => joinAt(secondary, n + 2, prefix)).filter((prefix) => ACROSS.includes(prefix)),
    [],
  );
  assert.notEqual(joinAt(secondary, 4, "fd78:0:0:200::/60"), "", "others are given");
});

test("what both agreed on of prefixes is known after a restart, and given although the plans differ elsewhere", (t) => {
  const { secondary, pass, restart, takeOver } = prefixPair(t);
  restart(secondary, () => {
    secondary.edit = (toml) => `${toml}[[subnet.reservation]]\nprefix = "fd79::/56"\nduid = "${duid(9)}"\n`;
  });
  pass(20);
  takeOver();
  assert.equal(joinAt(secondary, 9, "fd79::/56").startsWith("fd79"), false, "the peer knows nothing of it");
  assert.equal(joinAt(secondary, 2, HELD), HELD);
});

test("a node with another length than its peer gives prefixes to nobody new", (t) => {
  const { primary, secondary, pass, reload, takeOver } = prefixPair(t);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  reload(60, secondary);
  pass(5);
  takeOver();
  assert.equal(joinAt(secondary, 2, "fd78:0:0:c000::/60"), "");
  assert.deepEqual(ask(secondary, TYPE6.rebind, 1, HELD)?.leases, [[1, HELD, 5000]], "its holder goes on");
});

test("what a prefix lost with its renewal is nobody else's at the peer, which was started anew", (t) => {
  const { primary, secondary, pass, reload, restart, takeOver, assertNormal } = prefixPair(t);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  assert.deepEqual(ask(primary, TYPE6.renew, 1, HELD)?.leases, [[1, HELD, 5000]]);
  reload(60, primary, secondary);
  pass(20);
  assert.equal(ask(primary, TYPE6.renew, 1, HELD)?.leases[0]?.[1], "fd78:0:0:100::/60");
  pass(5);
  restart(secondary, () => {});
  pass(60);
  assertNormal();
  takeOver();
  assert.deepEqual(
    ACROSS.map((prefix, n) => joinAt(secondary, n + 2, prefix)).filter((prefix) => ACROSS.includes(prefix)),
    [],
  );
});

for (const how of ["in contact", "after a takeover"] as const)
  test(`a node that gives shorter prefixes than its peer renews each as it is held: ${how}`, (t) => {
    const { primary, secondary, pass, reload, takeOver } = prefixPair(t);
    reload(60, primary, secondary);
    pass(20);
    ACROSS.forEach((prefix, n) => {
      assert.equal(joinAt(primary, n + 1, prefix), prefix);
    });
    pass(5);
    const node = how === "in contact" ? primary : secondary;
    reload(56, node);
    pass(5);
    if (how === "after a takeover") takeOver();
    const type = how === "in contact" ? TYPE6.renew : TYPE6.rebind;
    const renewed = ACROSS.map((prefix, n) => ask(node, type, n + 1, prefix)?.leases);
    assert.deepEqual(
      renewed.map((leases) => leases?.map(([, prefix]) => prefix)),
      ACROSS.map((prefix) => [prefix]),
    );
    assert.ok(
      renewed.every((leases) => (leases?.[0]?.[2] ?? 0) > 0),
      "they have time",
    );
  });

test("while leases of the old length go on, a pair gives no shorter prefix across them", (t) => {
  const { primary, secondary, pass, reload, assertNormal } = prefixPair(t);
  reload(60, primary, secondary);
  pass(20);
  ACROSS.forEach((prefix, n) => {
    assert.equal(joinAt(primary, n + 1, prefix), prefix);
  });
  pass(5);
  reload(56, primary);
  pass(5);
  for (const [n, prefix] of ACROSS.entries()) ask(primary, TYPE6.renew, n + 1, prefix);
  reload(56, secondary);
  pass(LEAD + 30);
  assertNormal();
  assert.notEqual(joinAt(primary, 3, HELD), HELD);
  const moved = ACROSS.map((prefix, n) => ask(primary, TYPE6.renew, n + 1, prefix)?.leases[0]?.[1]);
  assert.equal(new Set([...moved, HELD]).size, 3, "each gets a whole one elsewhere");
  assert.ok(moved.every((prefix) => prefix?.endsWith("00::/56")));
});

for (const type of ["renew", "rebind"] as const)
  test(`the holder of a prefix goes on at a node whose pool of it is gone, while the peer has it: ${type.toUpperCase()}`, (t) => {
    const { primary, pass } = prefixPair(t);
    assert.equal(joinAt(primary, 1, HELD), HELD);
    pass(5);
    primary.edit = (toml) => toml.replace(/\[\[subnet\.prefix_pool\]\][^[]*/, "");
    primary.run({ kind: "plan", plan: PLAN });
    pass(5);
    assert.deepEqual(ask(primary, TYPE6[type], 1, HELD)?.leases, [[1, HELD, 5000]]);
    assert.deepEqual(ask(primary, TYPE6[type], 2, HELD)?.leases, [[1, HELD, 0]], "it is not another's");
    assert.deepEqual(ask(primary, TYPE6[type], 1, HELD, ACROSS[0] as string)?.leases, [
      [1, HELD, 5000],
      [1, ACROSS[0], 0],
    ]);
  });

test("a prefix whose pool is gone at both nodes of a pair ends", (t) => {
  const { primary, secondary, pass, assertNormal } = prefixPair(t);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  for (const node of [primary, secondary]) {
    node.edit = (toml) => toml.replace(/\[\[subnet\.prefix_pool\]\][^[]*/, "");
    node.run({ kind: "plan", plan: PLAN });
  }
  pass(20);
  assertNormal();
  assert.deepEqual(ask(primary, TYPE6.renew, 1, HELD)?.leases, [[1, HELD, 0]]);
});

test("a node that goes back to a shorter length alone renews no prefix larger than the peer may have", (t) => {
  const { primary, secondary, pass, reload, takeOver, assertNormal } = prefixPair(t);
  assert.equal(joinAt(primary, 1, HELD), HELD);
  pass(5);
  reload(60, primary, secondary);
  pass(20);
  assertNormal();
  reload(56, secondary);
  pass(5);
  takeOver();
  assert.deepEqual(
    ask(secondary, TYPE6.rebind, 1, HELD)?.leases.map(([, prefix]) => prefix),
    ["fd78:0:0:100::/60", HELD],
    "the peer may have renewed it so, and given the rest to others",
  );
});

test("a node that has agreed upon nothing with its peer yet renews a prefix no larger than it was given", (t) => {
  const { primary, secondary, pass, reload, restart, assertNormal } = prefixPair(t);
  const given = "fd78:0:0:100::/60";
  reload(60, primary);
  restart(secondary, () => {
    // What the secondary may have given by the plan before is over.
    pass(10);
    primary.run({ kind: "command", command: { name: "partner-down" } });
    pass(LEAD + 2 * SKEW);
    secondary.loseDisk();
  });
  pass(20);
  assertNormal();
  assert.equal(secondary.core?.durable.plan.agreed, null);
  assert.equal(joinAt(primary, 1, given), given);
  pass(5);
  restart(primary, () => {
    const renewed = ask(secondary, TYPE6.rebind, 1, given)?.leases.map(([, prefix]) => prefix);
    assert.deepEqual(renewed, [given], "the peer gives the rest of a larger one to others");
  });
});

test("prefixes of another length than before are given once what a peer that lost its disk may have told is over", (t) => {
  const { primary, secondary, pass, reload, restart, assertNormal } = prefixPair(t);
  reload(60, primary);
  restart(secondary, () => secondary.loseDisk());
  pass(20);
  assertNormal();
  reload(60, secondary);
  pass(LEAD - 40);
  for (const node of [primary, secondary]) assert.equal(joinAt(node, 1, "fd78:0:0:100::/60"), "");
  pass(60);
  assert.match(joinAt(primary, 1, "fd78:0:0:100::/60"), /\/60$/);
});
