import assert from "node:assert/strict";
import { test } from "node:test";
import { parseIpv6 } from "@frontdesk/lease-options/address";
import type { Settings } from "../../src/ha/core-state.ts";
import type { Message } from "../../src/ha/messages.ts";
import { ownerOf, peerOf, type Role } from "../../src/ha/ownership.ts";
import { Engines } from "./engine-node.ts";
import type { Packets } from "./packets.ts";
import { packets6 } from "./packets6.ts";
import type { Request } from "./sim-client.ts";
import type { WorldNode } from "./world-node.ts";

/** A pool that nobody can go through, and one of prefixes. */
const CONFIG = `[dhcpv6]
enabled = true
preferred_time = 30
valid_time = 60
[[subnet]]
network = "fd77::/64"
interface = "eth0"
[[subnet.pool]]
range = "fd77::1000 - fd77::ffff:ffff:ffff:fff"
[[subnet.prefix_pool]]
prefix = "fd78::/48"
delegated_length = 56
`;
/** A number cannot hold such an address: clients take whatever they were offered. */
const packets: Packets = {
  ...packets6,
  datagram: (request, to) => {
    const { address: _, ...unnamed } = request as Request & { readonly address?: number };
    return packets6.datagram(unnamed as Request, to);
  },
  config: () => CONFIG,
};
const PLAN = { hash: "", pools: [], reserved: new Map() };
const ROLES = ["primary", "secondary"] as const;

/** Two engines on one clock, joined by a link that loses nothing. */
function pairOf(engines: Engines) {
  let now = 100_000;
  const waiting: Record<Role, Message[]> = { primary: [], secondary: [] };
  const counters = { primary: 0, secondary: 0 };
  const make = (role: Role) => {
    const settings: Settings = {
      node: role,
      role,
      mode: "load-balancing",
      identity: "client_id",
      lead: 30,
      skew: 3,
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
    const node = engines.make(settings, PLAN, watcher, () => now, 0);
    node.start();
    return node;
  };
  const nodes = { primary: make("primary"), secondary: make("secondary") };
  for (const role of ROLES) nodes[role].run({ kind: "link", id: 1, isUp: true });
  const deliver = () => {
    for (let round = 0; round < 20; round++) {
      for (const role of ROLES) {
        for (const message of waiting[role].splice(0)) {
          nodes[role].run({ kind: "message", link: 1, counter: counters[role]++, message });
        }
      }
    }
  };
  const pass = (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      now++;
      for (const role of ROLES) nodes[role].run({ kind: "tick" });
      deliver();
    }
  };
  return { ...nodes, pass, now: () => now };
}

test("of a pool that nobody can go through, and of prefixes, each node owns a part, and gives from it", (t) => {
  const engines = new Engines(packets);
  t.after(() => engines.close());
  const { primary, secondary, pass, now } = pairOf(engines);
  pass(40);
  assert.deepEqual([primary.core?.state, secondary.core?.state], ["normal", "normal"]);
  const { ownership } = primary.core?.durable ?? assert.fail();
  const ownerAt = (text: string) => ownerOf(ownership, parseIpv6(text) as bigint).owner;
  assert.deepEqual(["fd77::1000", "fd77::ffff:ffff:ffff:ff0", "fd78::", "fd78:0:0:c000::"].map(ownerAt), [
    "primary",
    "secondary",
    "primary",
    "secondary",
  ]);
  assert.ok(ownership.ranges.length <= 4, `${ownership.ranges.length} ranges`);
  for (const node of [primary, secondary]) {
    for (let client = 0; client < 40; client++) join(node, client, now());
    const given = [...node.rows.values()].filter(({ server }) => server === node.role);
    assert.ok(given.length >= 10, `${node.role} gave ${given.length}`);
    for (const { address } of given) assert.equal(ownerOf(ownership, address).owner, node.role);
  }
});

function join(node: WorldNode, client: number, now: number): void {
  const common = { client, xid: 1, sentAt: now, wanted: 60, tries: 1, isUnicast: false };
  node.handle({ ...common, kind: "discover" });
  node.handle({ ...common, kind: "select", address: 0, server: node.role });
}
