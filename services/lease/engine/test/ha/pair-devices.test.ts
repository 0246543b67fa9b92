import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMac } from "@frontdesk/lease-options/address";
import type { Batch } from "../../src/loop/batch.ts";
import { PairDevices } from "../../src/loop/pair-devices.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { macOf } from "./world-node.ts";

const MAC = parseMac(macOf(9)) as Uint8Array;

test("what people say of a device is known to both nodes, also what was said while they were apart", async (t) => {
  const pair = await enginePair(t);
  const { world, pass, join } = pair;
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  pass(30);
  const address = join(primary, 9) as number;
  primary.note(address, MAC, { note: "by the door" });
  pass(2);
  assert.deepEqual(secondary.noted(MAC), ["by the door", null]);
  secondary.note(address, MAC, { dnsName: "printer1" });
  pass(2);
  assert.deepEqual(primary.noted(MAC), ["by the door", "printer1"]);

  world.run({ do: "partition", isOn: true, r: 1 });
  pass(8);
  secondary.note(address, MAC, { note: "on the roof" });
  pass(2);
  primary.note(address, MAC, { note: null, dnsName: null });
  assert.deepEqual(secondary.noted(MAC), ["on the roof", "printer1"]);
  world.run({ do: "partition", isOn: false, r: 1 });
  pass(20);
  assert.deepEqual(
    [primary.noted(MAC), secondary.noted(MAC)],
    [
      [null, null],
      [null, null],
    ],
    "the later one",
  );
});

test("a node whose disk is lost gets all that was said, a little with each batch", async (t) => {
  const pair = await enginePair(t);
  const { world, pass, join } = pair;
  const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
  pass(30);
  const address = join(primary, 9) as number;
  const macs = Array.from({ length: 150 }, (_, i) => Uint8Array.of(2, 0, 0, 7, 0, i));
  for (const [i, mac] of macs.entries()) primary.note(address, mac, { note: `device ${i}` });
  pass(3);
  world.run({ do: "lose disk", node: "secondary", r: 1 });
  pass(40);
  assert.deepEqual(
    macs.map((mac) => secondary.noted(mac)[0]),
    macs.map((_, i) => `device ${i}`),
  );
});

test("on each link everything is sent once, in parts that fit a frame", () => {
  const notes = Array.from({ length: 130 }, (_, i) => ({
    mac: Uint8Array.of(i),
    note: "x",
    dnsName: null,
    changed: 1,
  }));
  const devices = new PairDevices({
    notesAfter: (mac, limit) => notes.filter((each) => (each.mac[0] ?? 0) > (mac[0] ?? -1)).slice(0, limit),
    note: () => undefined,
    adoptNames: () => {},
  });
  const sent = (link: number) => devices.next(link)?.devices.length;
  assert.deepEqual([sent(1), sent(1), sent(1), sent(1)], [64, 64, 2, undefined]);
  assert.equal(sent(2), 64);
});

test("of all devices that come with one batch, the names are adopted at once, after it is on disk", () => {
  const adopted: string[] = [];
  const after: Array<() => void> = [];
  const noted: number[] = [];
  const batch = {
    note: ({ mac }: { mac: Uint8Array }) => void noted.push(mac[0] ?? 0),
    after: (act: () => void) => void after.push(act),
  } as unknown as Batch;
  const devices = new PairDevices({
    notesAfter: () => [],
    note: () => undefined,
    adoptNames: (list) => void adopted.push(list.map(({ mac, address }) => `${mac} ${address}`).join()),
  });
  const message = (...macs: number[]) => ({
    type: "devices" as const,
    devices: macs.map((mac) => ({
      mac: Uint8Array.of(mac),
      note: "x",
      dnsName: null,
      changed: 1,
      address: mac,
    })),
  });
  devices.receive(batch, message(1, 2));
  devices.receive(batch, message(3));
  assert.deepEqual(noted, [1, 2, 3]);
  assert.deepEqual(adopted, []);
  for (const act of after) act();
  assert.deepEqual(adopted, ["1 1,2 2,3 3"]);
});
