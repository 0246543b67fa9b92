import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { formatHex } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { firstOption } from "../../src/dhcp6/options.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { AnyOutgoing } from "../../src/loop/wire.ts";
import { packetOf6, replyOf6 } from "../desk6.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { DUIDS, packets6 } from "./packets6.ts";
import type { Setting } from "./steps.ts";
import { macOf } from "./world-node.ts";

/** Where the content of the option begins: the key, or the digest (RFC 9915 section 20.4). */
const CONTENT = 12;
/** Where replay detection begins: 64 bits. */
const REPLAY = 3;

/** A pair of DHCPv6, and a client that takes RECONFIGURE. */
async function reconfigurable(t: TestContext, setting: Partial<Setting> = {}) {
  const pair = await enginePair(t, setting, packets6);
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  for (const node of [primary, secondary]) {
    node.crash();
    const servers = [...node.settings.servers, formatHex(DUIDS[node.role], "")];
    node.settings = { ...node.settings, servers };
    node.start();
  }
  pair.pass(40);
  const ingress = {
    interfaceName: "eth0",
    addresses: [],
    sourceAddress: (0xfe80n << 112n) + 9n,
    sourcePort: 546,
    unicast: false,
    lab: false,
  };
  const ask = (node: EngineNode, client: number, type: number, server: Role | null, address?: bigint) => {
    const leases = address === undefined ? [] : [{ address, length: 128, preferred: 0, valid: 0 }];
    const bytes = packetOf6(type, {
      duid: `00:03:00:01:${macOf(client)}`,
      server: server && DUIDS[server],
      ias: [{ type: CODE6.iaNa, iaid: 1, leases }],
      options: [{ code: CODE6.reconfigureAccept, value: new Uint8Array(0) }],
    });
    const [reply] = node.receive({ family: 6, bytes, ingress });
    return reply && read(reply);
  };
  const join = (node: EngineNode, client: number) => {
    const offered = ask(node, client, TYPE6.solicit, null)?.address;
    return ask(node, client, TYPE6.request, node.role, offered);
  };
  return { ...pair, primary, secondary, ask, join };
}

function read(outgoing: AnyOutgoing) {
  const { packet, ias } = replyOf6(outgoing as never);
  const { options, type } = packet.message;
  const auth = firstOption(options, CODE6.authentication);
  return {
    type,
    bytes: outgoing.bytes,
    address: ias[0]?.leases.find(({ valid }) => valid > 0)?.address,
    content: auth?.subarray(CONTENT),
    replay: auth && Buffer.from(auth).readBigUInt64BE(REPLAY),
    server: formatHex(firstOption(options, CODE6.serverId) ?? new Uint8Array(0)),
    asks: firstOption(options, CODE6.reconfigureMessage)?.[0],
  };
}

/** As the client checks it. */
function isSignedWith(key: Uint8Array, { bytes, content }: ReturnType<typeof read>): boolean {
  const digest = content as Uint8Array;
  const at = Buffer.from(bytes).indexOf(digest);
  const bare = Uint8Array.from(bytes);
  bare.fill(0, at, at + digest.length);
  return createHmac("md5", key).update(bare).digest().equals(digest);
}

test("a client that changes to the other node gets its key, and a RECONFIGURE is signed with it", async (t) => {
  const { primary, secondary, pass, ask, join } = await reconfigurable(t);
  const { address, content: first } = join(primary, 9) ?? {};
  assert.ok(address !== undefined && first);
  pass(3);
  primary.crash();
  pass(8);
  const key = ask(secondary, 9, TYPE6.rebind, null, address)?.content;
  assert.ok(key, "the reply has a key");
  assert.notDeepEqual(key, first);
  assert.equal(ask(secondary, 9, TYPE6.renew, "secondary", address)?.content, undefined, "once");
  assert.equal(secondary.reconfigure(address), "sent");
  const told = secondary
    .tick()
    .map(read)
    .find(({ type }) => type === TYPE6.reconfigure);
  assert.ok(told);
  assert.equal(isSignedWith(key, told), true);
  assert.deepEqual([told.server, told.asks], [formatHex(DUIDS.secondary), TYPE6.renew]);
});

test("a client of the other node is told in that node's name, with its key, to ask any server", async (t) => {
  const { primary, secondary, pass, join } = await reconfigurable(t);
  const { address, content: key } = join(primary, 9) ?? {};
  assert.ok(address !== undefined && key);
  pass(3);
  assert.equal(secondary.reconfigure(address), "sent");
  const told = secondary
    .tick()
    .map(read)
    .find(({ type }) => type === TYPE6.reconfigure);
  assert.ok(told);
  assert.equal(isSignedWith(key, told), true);
  assert.deepEqual([told.server, told.asks], [formatHex(DUIDS.primary), TYPE6.rebind]);
});

test("the client that loses its address after a wrong takeover is told to ask again", async (t) => {
  const { world, primary, secondary, pass, join, ask } = await reconfigurable(t);
  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  const { address, content: key } = join(primary, 9) ?? {};
  assert.ok(address !== undefined && key);
  world.run({ do: "partner-down", node: "secondary", isWrong: true, ago: 0, r: 1 });
  pass(40);
  assert.equal(ask(primary, 9, TYPE6.renew, "primary", address)?.address, address);
  const other = [10, 11, 12, 13, 14, 15, 16, 17].find((each) => join(secondary, each)?.address === address);
  assert.ok(other !== undefined, "the secondary gives it to another");
  world.run({ do: "partition", isOn: false, r: 1 });
  const told: Array<ReturnType<typeof read>> = [];
  for (let second = 0; second < 20; second++) {
    pass(1);
    for (const node of [primary, secondary]) told.push(...node.tick().map(read));
  }
  const reconfigure = told.find(({ type }) => type === TYPE6.reconfigure);
  assert.ok(reconfigure);
  assert.equal(isSignedWith(key, reconfigure), true);
});

test("replay detection goes on from the other node's, though one of the clocks was set since its store was made", async (t) => {
  const offsets = { primary: 4000, secondary: 0 };
  const { world, primary, secondary, pass, ask, join } = await reconfigurable(t, { offsets });
  world.run({ do: "set clocks", node: "primary", by: -4000, r: 1 });
  pass(30);
  const first = join(primary, 9);
  assert.ok(first?.address !== undefined && first.replay !== undefined);
  const { address } = first;
  pass(3);
  const tell = () => {
    assert.equal(secondary.reconfigure(address), "sent");
    const told = secondary.tick().map(read);
    return told.find(({ type }) => type === TYPE6.reconfigure)?.replay ?? 0n;
  };
  const inItsName = tell();
  assert.ok(inItsName > first.replay, "in the other's name");
  primary.crash();
  secondary.crash();
  secondary.start();
  pass(1);
  const afterRestart = tell();
  assert.ok(afterRestart > inItsName, "after a restart without the other");
  pass(20);
  const key = ask(secondary, 9, TYPE6.rebind, null, address);
  assert.ok(key?.replay !== undefined && key.replay > afterRestart, "with a key of its own");
});
