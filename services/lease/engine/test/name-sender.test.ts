import assert from "node:assert/strict";
import { test } from "node:test";
import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import { createNameSender } from "../src/ddns/name-sender.ts";
import type { NameUpdates, Outcome } from "../src/ddns/name-updates.ts";
import type { NameResult, NameRow } from "../src/leases/dns-name.ts";

const SERVER = { host: "127.0.0.1", port: 53 };
const CONFIG: DdnsConfig = {
  domain: "a.example",
  zones: [{ name: "a.example", server: SERVER, key: undefined, network: undefined }],
  ttl: 300,
  namePolicy: "client",
  collision: "refuse",
  keepForReservations: false,
  maxUpdatesPerSecond: 50,
};
const DHCID = Uint8Array.of(1);

/** An outbox in memory, a server that answers as it is told to, and a clock that moves only by waiting. */
function house(rows: NameRow[], answer: (what: string) => Outcome = () => ({ kind: "done" })) {
  let now = 0;
  const asked: string[] = [];
  const results: NameResult[] = [];
  const say = (what: string) => {
    asked.push(what);
    return Promise.resolve(answer(what));
  };
  const updates: NameUpdates = {
    addForward: (_zones, { name }) => say(`add ${name}`),
    removeForward: (_zones, { name }) => say(`remove ${name}`),
    addReverse: (_zones, name) => say(`add reverse ${name}`),
    removeReverse: (_zones, name) => say(`remove reverse ${name}`),
  };
  const sender = createNameSender({
    config: () => CONFIG,
    updates,
    due: (_at, limit) => rows.splice(0, limit),
    settle: async (settled) => void results.push(...settled),
    now: () => now,
    monotonic: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
    count: () => {},
  });
  return { sender, asked, results, time: () => now, pass: (ms: number) => (now += ms) };
}

const row = (n: number, more: Partial<NameRow> = {}): NameRow => ({
  address: `10.0.${n >> 8}.${n & 255}`,
  wanted: `n${n}.a.example`,
  wantedDhcid: DHCID,
  kept: null,
  keptDhcid: null,
  tries: 0,
  seq: n,
  ...more,
});

test("ten thousand new names are brought in the order of their intents, and no faster than the cap", async () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => row(n));
  const { sender, asked, results, time } = house(rows);
  while ((await sender.round()) > 0);
  assert.equal(results.length, 10_000);
  assert.deepEqual(
    asked.filter((what) => !what.includes("reverse")),
    Array.from({ length: 10_000 }, (_, n) => `add n${n}.a.example`),
  );
  assert.equal(Math.round(time()), 200_000, "50 a second");
});

test("a name that changes: what is kept goes first", async () => {
  const { sender, asked, results } = house([row(1, { kept: "old.a.example", keptDhcid: DHCID })]);
  await sender.round();
  assert.deepEqual(asked, [
    "remove reverse old.a.example",
    "remove old.a.example",
    "add n1.a.example",
    "add reverse n1.a.example",
  ]);
  assert.deepEqual([results[0]?.state, results[0]?.kept], ["kept", "n1.a.example"]);
});

test("what was removed and could not be replaced is known to be gone", async () => {
  const { sender, results } = house([row(1, { kept: "old.a.example", keptDhcid: DHCID })], (what) =>
    what.startsWith("add ") ? { kind: "parked", error: "REFUSED" } : { kind: "done" },
  );
  await sender.round();
  assert.deepEqual(results[0], {
    address: "10.0.0.1",
    seq: 1,
    kept: null,
    keptDhcid: null,
    state: "refused",
    error: "REFUSED",
    tries: 0,
    due: 0,
  });
});

test("a server that does not answer is left alone, ever longer; nobody else's turn is used up by it", async () => {
  const rows = Array.from({ length: 5 }, (_, n) => row(n));
  const server = { ...SERVER, key: undefined };
  const { sender, asked, results, pass } = house(rows, () => ({ kind: "later", error: "silent", server }));
  await sender.round();
  assert.equal(asked.length, 1, "one found out for all");
  assert.deepEqual(
    results.map(({ state, due }) => [state, due > 0]),
    Array.from({ length: 5 }, () => ["pending", true]),
  );
  const [first] = results;
  pass((first?.due ?? 0) + 1);
  rows.push(row(0, { tries: 1 }));
  results.length = 0;
  await sender.round();
  assert.ok((results[0]?.due ?? 0) - (first?.due ?? 0) > (first?.due ?? 0), "longer each time");
});
