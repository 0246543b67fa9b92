import assert from "node:assert/strict";
import { test } from "node:test";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { isDiscover } from "../src/dhcp4/is-discover.ts";
import { Admission } from "../src/loop/admission.ts";
import { packetOf } from "./desk.ts";

const ingress = {
  interfaceName: "eth0",
  addresses: [],
  sourceAddress: 0,
  sourcePort: 68,
  unicast: false,
  lab: false,
};
const datagrams = (type: number, count: number) => {
  const bytes = packetOf(type, {});
  return Array.from({ length: count }, () => ({ bytes, ingress }));
};

test("a DISCOVER is told from the bytes, wherever its type stands", () => {
  assert.ok(isDiscover(packetOf(TYPE.discover, {})));
  assert.ok(!isDiscover(packetOf(TYPE.request, {})));
  const late = packetOf(TYPE.discover, {});
  late.set([0, 12, 2, 53, 1, 53, 1, 1, 255], 240);
  assert.ok(isDiscover(late));
  assert.ok(!isDiscover(new Uint8Array(240)));
  assert.ok(!isDiscover(new Uint8Array(0)));
});

test("a burst is served whole", () => {
  const { taken, shed } = new Admission(isDiscover).admit(datagrams(TYPE.discover, 1000));
  assert.deepEqual([taken.length, shed], [1000, 0]);
});

test("when round after round is too much, new DISCOVERs are shed first and what was begun is finished", () => {
  const admission = new Admission(isDiscover);
  const round = [...datagrams(TYPE.discover, 700), ...datagrams(TYPE.request, 300)];
  const outcomes = Array.from({ length: 8 }, () => admission.admit(round));
  const last = outcomes.at(-1);
  assert.equal(last?.shed, 700 - 256);
  assert.equal(last?.taken.filter(({ bytes }) => !isDiscover(bytes)).length, 300);
  assert.ok(!isDiscover(last?.taken[0]?.bytes as Uint8Array), "what goes on comes first");
  assert.equal(admission.admit(datagrams(TYPE.discover, 10)).shed, 0);
  assert.equal(admission.admit(round).shed, 0, "and once it is quiet again, a burst is served again");
});

test("under a flood on one interface, new clients on another are still taken on", () => {
  const admission = new Admission(isDiscover);
  const other = { ...ingress, interfaceName: "eth1" };
  const few = datagrams(TYPE.discover, 20).map(({ bytes }) => ({ bytes, ingress: other }));
  const round = [...datagrams(TYPE.discover, 900), ...few];
  const last = Array.from({ length: 8 }, () => admission.admit(round)).at(-1);
  assert.equal(last?.taken.length, 256);
  assert.equal(last?.taken.filter((each) => each.ingress === other).length, 20);
});

test("under a flood of one protocol, new clients of the other on the same interface are still taken on", () => {
  const admission = new Admission(() => true);
  const bytes = new Uint8Array(4);
  const flood = Array.from({ length: 900 }, () => ({ bytes, ingress }));
  const few = Array.from({ length: 20 }, () => ({
    family: 6 as const,
    bytes,
    ingress: { ...ingress, sourceAddress: 0n, addresses: [] },
  }));
  const last = Array.from({ length: 8 }, () => admission.admit([...flood, ...few])).at(-1);
  assert.equal(last?.taken.filter((each) => "family" in each).length, 20);
});
