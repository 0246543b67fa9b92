import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { parseIpv6 } from "@frontdesk/lease-options/address";
import { STATE } from "../src/leases/binding.ts";
import type { Lease6Record, Lease6Write } from "../src/leases/lease6-record.ts";
import { CHUNK } from "../src/store/event-index.ts";
import { History } from "../src/store/history.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";

const ip6 = (text: string) => parseIpv6(text) as bigint;

function storePath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "lease6-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "leases.db");
}

const lease = (address: string, more: Partial<Lease6Record> = {}): Lease6Record => ({
  address: ip6(address),
  length: 128,
  state: STATE.bound,
  duid: Uint8Array.of(0, 3, 0, 1, 2),
  iaid: 0xffffffff,
  mac: Uint8Array.of(2, 0, 0, 0, 0, 1),
  hostname: "one",
  vendor: null,
  classes: "a,b",
  starts: 100,
  until: 200,
  preferred: 50,
  seen: 110,
  interface: "eth0",
  link: ip6("fd77::1"),
  peer: ip6("fe80::1"),
  interfaceId: Uint8Array.of(1),
  remoteId: Uint8Array.of(2),
  relays: Uint8Array.of(3),
  reconfigureKey: Uint8Array.of(4),
  told: 100,
  renewals: 0,
  digest: 77,
  earlierLength: 56,
  earlierUntil: 150,
  ...more,
});
const commit = (store: SqliteStore, ...writes6: Lease6Write[]) =>
  store.commit({ writes: [], writes6, events: [], notes: [], clock: undefined });

test("a lease of DHCPv6 is on disk as it was written, and after another start", (t) => {
  const path = storePath(t);
  const first = new SqliteStore(path);
  const written = lease("ffff::1");
  const prefix = lease("::1:0", { length: 56, link: 0n, relays: null, hostname: null });
  commit(first, { kind: "put", lease: written }, { kind: "put", lease: prefix });
  first.close();
  const store = new SqliteStore(path);
  t.after(() => store.close());
  assert.deepEqual({ ...store.find6(ip6("ffff::1")) }, { ...written, seq: 1 });
  assert.deepEqual({ ...store.find6(ip6("::1:0")) }, { ...prefix, seq: 2 });
  assert.deepEqual(
    [...store.all6()].map(({ address, length }) => [address, length]),
    [
      [ip6("::1:0"), 56],
      [ip6("ffff::1"), 128],
    ],
    "by address, the highest bit included",
  );
  assert.equal(store.clock().newest, 110_000, "the clock goes on from the last word of a client");
});

test("renewals, marks and removals change the lease, and every change has a number of its own", (t) => {
  const path = storePath(t);
  const first = new SqliteStore(path);
  const address = ip6("fd77::1");
  commit(first, { kind: "put", lease: lease("fd77::1") });
  commit(first, { kind: "renew", address, until: 900, preferred: 400, seen: 300 });
  const renewed = first.find6(address);
  assert.deepEqual(
    [renewed?.until, renewed?.preferred, renewed?.seen, renewed?.renewals, renewed?.seq],
    [900, 400, 300, 1, 2],
  );
  commit(first, { kind: "mark", address, state: STATE.expired, until: 900, told: 0 });
  assert.equal(first.find6(address)?.state, STATE.expired);
  commit(first, { kind: "remove", address });
  assert.equal(first.find6(address), undefined);
  first.close();
  const store = new SqliteStore(path);
  t.after(() => store.close());
  assert.equal(store.lastSeq, 4, "the number of a removal is not given again");
});

test("the server's DUID and its secret are made once (RFC 9915 section 11)", (t) => {
  const path = storePath(t);
  const first = new SqliteStore(path);
  const made = first.serverIdentity();
  assert.deepEqual([...made.duid.subarray(0, 2)], [0, 4]);
  assert.deepEqual([made.duid.length, made.secret.length], [18, 32]);
  first.close();
  const store = new SqliteStore(path);
  t.after(() => store.close());
  assert.deepEqual(store.serverIdentity(), made);
});

const event = {
  at: 5,
  type: "grant",
  ip: 0,
  mac: new Uint8Array(0),
  clientId: null,
  hostname: null,
  giaddr: 0,
  circuitId: null,
  remoteId: null,
  until: 9,
  reason: null,
  renewals: 0,
  config: "v",
} as const;

test("events of DHCPv6 are numbered with all others, and found by their address", (t) => {
  const path = storePath(t);
  const store = new SqliteStore(path);
  t.after(() => store.close());
  const v6 = { address: ip6("fd77::1"), length: 128, duid: Uint8Array.of(1), iaid: 7, link: 0n };
  store.commit({ writes: [], events: [event, { ...event, v6 }, event], notes: [], clock: undefined });
  const history = new History(path);
  t.after(() => history.close());
  assert.deepEqual(
    history.events.page({ after: 0, limit: 10 }).items.map((each) => [each.id, each.v6?.address]),
    [
      [1, undefined],
      [2, v6.address],
      [3, undefined],
    ],
  );
  const [found, ...more] = history.events.page({ ip: v6.address, limit: 10 }).items;
  assert.deepEqual([found?.id, found?.v6, more], [2, v6, []]);
  assert.deepEqual(
    history.events.page({ ip: 0, limit: 10 }).items.map(({ id }) => id),
    [3, 1],
    "and not by an address of IPv4",
  );
});

test("an event of DHCPv6 is found by its address when its chunk is closed", (t) => {
  const path = storePath(t);
  const store = new SqliteStore(path);
  const eventAt = (n: number) => ({
    ...event,
    v6: { address: ip6("fd77::") + BigInt(n), length: 128, duid: Uint8Array.of(1), iaid: 7, link: 0n },
  });
  const events = Array.from({ length: CHUNK + 5 }, (_, n) => (n % 2 === 0 ? eventAt(n) : event));
  store.commit({ writes: [], events, notes: [], clock: undefined });
  store.close();
  const history = new History(path);
  t.after(() => history.close());
  const idOf = (n: number) =>
    history.events.page({ ip: ip6("fd77::") + BigInt(n), limit: 10 }).items.map(({ id }) => id);
  assert.deepEqual([idOf(4000), idOf(4001), idOf(CHUNK + 2)], [[4001], [], [CHUNK + 3]]);
});

test("the server's identity is made once, and told while somebody else writes to the database", (t) => {
  const path = storePath(t);
  const store = new SqliteStore(path);
  t.after(() => store.close());
  const { duid, secret } = store.serverIdentity();
  assert.equal(duid.length, 18);
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  assert.deepEqual({ ...store.serverIdentity() }, { duid, secret });
  other.exec("ROLLBACK");
  const again = new SqliteStore(path);
  t.after(() => again.close());
  assert.deepEqual({ ...again.serverIdentity() }, { duid, secret });
});
