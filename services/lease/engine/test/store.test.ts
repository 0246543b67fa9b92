import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { STATE } from "../src/leases/binding.ts";
import type { LeaseEvent, LeaseRecord, LeaseWrite } from "../src/leases/lease-record.ts";
import { CHUNK } from "../src/store/event-index.ts";
import { History } from "../src/store/history.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import { ip } from "./desk.ts";

const mac = (n: number) => Uint8Array.of(2, 0, 0, n >> 16, (n >> 8) & 255, n & 255);
const lease = (n: number, more: Partial<LeaseRecord> = {}): LeaseRecord => ({
  ip: ip("10.0.0.0") + n,
  state: STATE.bound,
  htype: 1,
  mac: mac(n),
  clientId: null,
  hostname: `host-${n}`,
  fqdn: null,
  vendor: null,
  classes: null,
  starts: 1000,
  until: 5000,
  seen: 1000,
  interface: null,
  giaddr: 0,
  circuitId: null,
  remoteId: null,
  relayAgent: null,
  nonce: null,
  told: 1000,
  renewals: 0,
  digest: 7,
  ...more,
});
const event = (n: number, at: number, more: Partial<LeaseEvent> = {}): LeaseEvent => ({
  at,
  type: "grant",
  ip: ip("10.0.0.0") + n,
  mac: mac(n),
  clientId: null,
  hostname: null,
  giaddr: 0,
  circuitId: null,
  remoteId: null,
  until: 5000,
  reason: null,
  renewals: 0,
  config: "v1",
  ...more,
});
const beginAnew = (store: SqliteStore, writes: readonly LeaseWrite[]) => {
  commit(store, writes);
  const pair = { durable: undefined, writes: [], clears: true };
  store.commit({ writes: [], events: [], notes: [], clock: undefined, pair });
};
const put = (each: LeaseRecord, keepRelay = false): LeaseWrite => ({ kind: "put", lease: each, keepRelay });
const commit = (store: SqliteStore, writes: readonly LeaseWrite[], events: readonly LeaseEvent[] = []) =>
  store.commit({ writes, events, notes: [], clock: undefined });
function opened(t: TestContext): { store: SqliteStore; path: string } {
  const path = join(temporaryHome(t), "leases.db");
  return { store: new SqliteStore(path), path };
}

test("leases and events are there after the store is opened again", (t) => {
  const { store, path } = opened(t);
  const full = lease(1, {
    clientId: Uint8Array.of(1, 2),
    fqdn: "a.b",
    vendor: "v",
    classes: "x,y",
    giaddr: 9,
    circuitId: Uint8Array.of(7),
    remoteId: Uint8Array.of(8),
    nonce: Uint8Array.of(9),
  });
  commit(store, [put(full), put(lease(2)), put(lease(3))], [event(1, 10)]);
  commit(
    store,
    [
      { kind: "mark", ip: lease(2).ip, state: STATE.released, until: 77, told: 0 },
      { kind: "remove", ip: lease(3).ip },
    ],
    [],
  );
  store.close();
  const again = new SqliteStore(path);
  const released = lease(2, { state: STATE.released, until: 77, told: 0 });
  assert.deepEqual(
    [...again.all()].map(({ ip: address, state, until }) => [address, state, until]),
    [full, released].map(({ ip: address, state, until }) => [address, state, until]),
  );
  assert.deepEqual(again.find(full.ip), { ...full, seq: 1 });
  assert.deepEqual(again.find(released.ip), { ...released, seq: 4 });
  again.close();
  const history = new History(path);
  assert.deepEqual(
    history.events.page({ ip: full.ip, limit: 10 }).items.map(({ at }) => at),
    [10],
  );
  history.close();
});

test("however many leases there are, all of them are read, each once and by address", (t) => {
  const { store } = opened(t);
  for (const count of [1999, 1, 1, 2500]) {
    const from = [...store.all()].length;
    commit(
      store,
      Array.from({ length: count }, (_, i) => put(lease(from + i))),
    );
    const found = [...store.all()].map(({ ip: address }) => address);
    assert.deepEqual(
      found,
      Array.from({ length: from + count }, (_, n) => lease(n).ip),
    );
  }
  store.close();
});

test("a commit that fails keeps nothing of itself", (t) => {
  const { store } = opened(t);
  const wrong = { ...event(2, 11), mac: null as unknown as Uint8Array };
  assert.throws(() => commit(store, [put(lease(1))], [event(1, 10), wrong]));
  assert.deepEqual([...store.all()], []);
  commit(store, [put(lease(1))], [event(1, 10)]);
  assert.equal([...store.all()].length, 1);
  store.close();
});

test("events are found by address, hardware address, type and time, newest first or oldest first, and after a restart", (t) => {
  const { store, path } = opened(t);
  const count = CHUNK * 2 + 500;
  const events = Array.from({ length: count }, (_, i) =>
    event(i % 1000, i, { type: i % 3 === 0 ? "renew" : "grant" }),
  );
  for (let from = 0; from < count; from += 5000) commit(store, [], events.slice(from, from + 5000));
  store.close();
  const again = new SqliteStore(path);
  const more = Array.from({ length: CHUNK }, (_, i) => event(i % 1000, count + i));
  commit(again, [], more);
  const all = [...events, ...more];
  const history = new History(path);
  const expected = (keep: (each: LeaseEvent) => boolean) =>
    all
      .filter(keep)
      .map(({ at }) => at)
      .reverse();
  const found = (query: object) => {
    const items: number[] = [];
    let cursor: number | undefined;
    do {
      const page = history.events.page({
        ...query,
        limit: 37,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      items.push(...page.items.map(({ at }) => at));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return items;
  };
  assert.deepEqual(
    found({ ip: lease(7).ip }),
    expected((each) => each.ip === lease(7).ip),
  );
  assert.deepEqual(
    found({ mac: mac(8) }),
    expected((each) => each.mac[5] === 8 && each.mac[4] === 0),
  );
  assert.deepEqual(
    found({ ip: lease(9).ip, type: "renew", from: 1000, to: 3000 }),
    expected(
      (each) => each.ip === lease(9).ip && each.type === "renew" && each.at >= 1000 && each.at <= 3000,
    ),
  );
  assert.deepEqual(
    found({ from: 2000, to: 2100 }),
    expected((each) => each.at >= 2000 && each.at <= 2100),
  );
  const last = all.length;
  const forward = (query: { after: number; ip?: number; limit: number }) => {
    const page = history.events.page(query);
    return { ids: page.items.map(({ id }) => id), next: page.nextCursor };
  };
  assert.deepEqual(forward({ after: last - 10, limit: 4 }), {
    ids: [last - 9, last - 8, last - 7, last - 6],
    next: last - 6,
  });
  assert.deepEqual(forward({ after: last - 2, limit: 100 }), { ids: [last - 1, last], next: undefined });
  assert.deepEqual(forward({ after: 0, ip: lease(7).ip, limit: 3 }).ids, [8, 1008, 2008]);
  assert.deepEqual(forward({ after: CHUNK - 1, limit: 2 }).ids, [CHUNK, CHUNK + 1], "from chunk to chunk");
  assert.equal(history.events.last(), last);
  history.close();
  again.close();
});

test("who held an address at a time is told from its history", (t) => {
  const { store, path } = opened(t);
  commit(
    store,
    [],
    [
      event(1, 1000, { until: 5 }),
      event(1, 4000, { type: "renew", until: 8 }),
      event(1, 6000, { type: "release" }),
      event(1, 9000, { mac: mac(2), until: 20 }),
    ],
  );
  const history = new History(path);
  const holder = (at: number) => history.holder(lease(1).ip, at)?.mac[5];
  assert.deepEqual(
    [holder(999), holder(1000), holder(5000), holder(7000), holder(9500), holder(20_001)],
    [undefined, 1, 1, undefined, 2, undefined],
  );
  history.close();
  store.close();
});

test("a lease that was renewed without events was held until the event that ended it, or is held still", (t) => {
  const { store, path } = opened(t);
  commit(
    store,
    [put(lease(3, { starts: 1, until: 900, renewals: 8 }))],
    [
      event(1, 1000, { until: 5 }),
      event(1, 90_000, { type: "expire", until: 80, renewals: 4 }),
      event(2, 1000, { until: 5 }),
      event(2, 60_000, { type: "release", renewals: 3 }),
      event(3, 1000, { until: 5 }),
    ],
  );
  const history = new History(path);
  const held = (n: number, at: number) => history.holder(lease(n).ip, at) !== undefined;
  assert.deepEqual([held(1, 79_000), held(1, 81_000), held(1, 95_000)], [true, false, false]);
  assert.deepEqual([held(2, 59_000), held(2, 61_000)], [true, false]);
  assert.deepEqual([held(3, 899_000), held(3, 901_000)], [true, false]);
  assert.deepEqual([held(1, 80_998), held(1, 80_999)], [true, false], "it may have begun at a second's end");
  assert.deepEqual([held(3, 900_998), held(3, 900_999)], [true, false]);
  history.close();
  store.close();
});

test("a client that is known by its identifier held its address also while its hardware address changed", (t) => {
  const { store, path } = opened(t);
  const clientId = Uint8Array.of(0, 7);
  commit(
    store,
    [put(lease(3, { mac: mac(99), clientId, starts: 1, until: 900, renewals: 8 }))],
    [
      event(1, 1000, { clientId, until: 5 }),
      event(1, 60_000, { clientId, mac: mac(99), type: "renew", until: 90, renewals: 3 }),
      event(2, 1000, { clientId, until: 5 }),
      event(2, 60_000, { clientId: Uint8Array.of(0, 8), mac: mac(99), type: "release", renewals: 3 }),
      event(3, 1000, { clientId, until: 5 }),
    ],
  );
  const history = new History(path);
  const holder = (n: number, at: number) => history.holder(lease(n).ip, at)?.mac[5];
  assert.deepEqual(
    [holder(1, 59_000), holder(1, 61_000)],
    [1, 99],
    "until the renewal that told of the change",
  );
  assert.equal(holder(2, 59_000), undefined, "the release of another client tells nothing of this one");
  assert.equal(holder(3, 899_000), 99, "and of the lease when no event has told of the change");
  history.close();
  store.close();
});

test("what a relay said of a client stays when a renewal does not pass the relay", (t) => {
  const { store } = opened(t);
  const first = lease(1, {
    giaddr: 9,
    circuitId: Uint8Array.of(7),
    remoteId: Uint8Array.of(8),
    interface: "eth1",
  });
  commit(store, [put(first)]);
  commit(store, [put(lease(1, { hostname: "other", until: 9000 }), true)]);
  commit(store, [{ kind: "renew", ip: first.ip, until: 9500, seen: 1200, nonce: null }]);
  assert.deepEqual(store.find(first.ip), {
    ...first,
    hostname: "other",
    until: 9500,
    seen: 1200,
    renewals: 1,
    seq: 3,
  });
  commit(store, [put(lease(1))]);
  assert.deepEqual(store.find(first.ip), { ...lease(1), seq: 4 });
  store.close();
});

test("every change of a lease has the next number, whatever fails, is removed or restarted in between", (t) => {
  const { store, path } = opened(t);
  const mark = { kind: "mark", ip: lease(1).ip, state: STATE.released, until: 77, told: 0 } as const;
  const renew = { kind: "renew", ip: lease(2).ip, until: 9, seen: 9, nonce: null } as const;
  commit(store, [put(lease(1)), put(lease(2)), put(lease(3)), mark, renew]);
  const seq = (from: SqliteStore) => [1, 2, 3].map((n) => from.find(lease(n).ip)?.seq);
  assert.deepEqual([seq(store), store.lastSeq], [[4, 5, 3], 5]);
  const broken = { ...lease(3), starts: "no number" as unknown as number };
  assert.throws(() => commit(store, [put(lease(1)), put(broken)]));
  assert.deepEqual([seq(store), store.lastSeq], [[4, 5, 3], 5]);
  commit(store, [put(lease(3), true), { kind: "remove", ip: lease(3).ip }]);
  store.close();
  const again = new SqliteStore(path);
  assert.deepEqual([seq(again), again.lastSeq], [[4, 5, undefined], 7]);
  commit(again, [put(lease(1))]);
  assert.deepEqual([seq(again), again.lastSeq], [[8, 5, undefined], 8]);
  again.close();
});

test("room for a batch is tried without leaving anything behind", (t) => {
  const { store, path } = opened(t);
  store.tryWriting();
  store.tryWriting();
  const database = new DatabaseSync(path);
  assert.deepEqual(database.prepare("SELECT * FROM room").all(), []);
  database.close();
  store.close();
});

test("the clock is kept, and the newest commit known, after a restart", (t) => {
  const { store, path } = opened(t);
  assert.deepEqual({ ...store.clock() }, { offset: 0, bootId: null, bootTime: 0, replayAhead: 0, newest: 0 });
  const clock = { offset: -5000, bootId: "boot", bootTime: 77, replayAhead: 10_000 };
  commit(store, [put(lease(1, { seen: 1234 }))], [event(1, 1_200_000)]);
  store.commit({ writes: [], events: [], notes: [], clock });
  store.close();
  const again = new SqliteStore(path);
  assert.deepEqual({ ...again.clock() }, { ...clock, newest: 1_234_000 });
  again.close();
});

test("events go by age and by number, a little at a time; the newest stays and the numbers go on", (t) => {
  const { store, path } = opened(t);
  const prune = (today: number, days: number, most: number) => {
    let rounds = 0;
    while (store.prune(today, days, most)) rounds++;
    return rounds;
  };
  const write = (from: number) =>
    commit(
      store,
      [],
      Array.from({ length: 5000 }, (_, i) => event(i % 100, from + i)),
    );
  prune(100, 2, 1_000_000);
  write(0);
  prune(101, 2, 1_000_000);
  write(5000);
  const history = new History(path);
  const oldest = () => history.events.page({ after: 0, limit: 1 }).items[0]?.at;
  assert.equal(prune(102, 2, 1_000_000), 0);
  // The days between are days on which no engine ran, or a clock that was ahead after a reboot.
  assert.ok(prune(5000, 2, 1_000_000) > 2, "in more than one step");
  assert.equal(oldest(), 5000);
  assert.equal(prune(102, 2, 1_000_000), 0, "a day that is over comes no second time");
  prune(5000, 2, 1000);
  assert.equal(oldest(), 9000);
  prune(5002, 1, 1000);
  assert.equal(history.events.page({ limit: 10 }).items.length, 1);
  assert.equal(prune(5002, 1, 1000), 0);
  store.close();
  const again = new SqliteStore(path);
  commit(again, [], [event(1, 1)]);
  assert.equal(history.events.last(), 10_001);
  history.close();
  again.close();
});

test("what is left of a history that was pruned is found as before, across chunks and restarts", (t) => {
  const { store, path } = opened(t);
  const write = (to: SqliteStore, from: number, count: number) => {
    for (let done = 0; done < count; done += 4000) {
      const size = Math.min(4000, count - done);
      commit(
        to,
        [],
        Array.from({ length: size }, (_, i) => event((from + done + i) % 100, from + done + i)),
      );
    }
  };
  write(store, 0, CHUNK * 2 + 3000);
  // Into the middle of a chunk, then beyond all of them, into the tail.
  while (store.prune(1, 365, CHUNK - 2000));
  store.close();
  const second = new SqliteStore(path);
  const history = new History(path);
  const times = (n: number) =>
    history.events.page({ ip: lease(n).ip, limit: 10_000 }).items.map(({ at }) => at);
  const expected = (n: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => to - 1 - i).filter((at) => at % 100 === n);
  assert.deepEqual(times(7), expected(7, CHUNK + 5000, CHUNK * 2 + 3000));
  while (second.prune(1, 365, 2000));
  second.close();
  const third = new SqliteStore(path);
  write(third, CHUNK * 2 + 3000, CHUNK);
  assert.deepEqual(times(7), expected(7, CHUNK * 2 + 1000, CHUNK * 3 + 3000));
  assert.equal(history.events.last(), CHUNK * 3 + 3000);
  history.close();
  third.close();
});

test("the log is used again from its beginning, and a long question neither stops that for good nor holds up a lease", (t) => {
  const { store, path } = opened(t);
  const logSize = () => statSync(`${path}-wal`).size;
  const write = () => {
    for (let i = 0; i < 50; i++) commit(store, [put(lease(i))], [event(i, i)]);
  };
  write();
  const once = logSize();
  for (let n = 0; n < 5; n++) {
    store.restartWal();
    write();
  }
  assert.equal(logSize(), once);

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM event").get();
  store.restartWal();
  write();
  assert.ok(logSize() > once, "it goes on behind what is being read");
  reader.close();
  store.restartWal();
  const grown = logSize();
  write();
  assert.equal(logSize(), grown);
  store.close();
});

test("leases are listed in pages, by state, network and text", (t) => {
  const { store, path } = opened(t);
  commit(
    store,
    Array.from({ length: 25 }, (_, i) =>
      put(
        lease(i, { state: i % 5 === 0 ? STATE.released : STATE.bound, classes: i < 3 ? "a,phones" : null }),
      ),
    ),
  );
  const history = new History(path);
  const first = history.leases.page({ limit: 10 });
  assert.deepEqual([first.items.length, first.total, first.nextCursor], [10, 25, ip("10.0.0.9")]);
  assert.equal(history.leases.page({ limit: 10, cursor: ip("10.0.0.19") }).items.length, 5);
  assert.equal(history.leases.page({ limit: 100, states: [STATE.bound] }).items.length, 20);
  assert.deepEqual(
    history.leases.page({ limit: 100, text: "host-7" }).items.map(({ ip: address }) => address),
    [ip("10.0.0.7")],
  );
  assert.deepEqual(history.leases.page({ limit: 100, text: "02:00:00:00:00:08" }).total, 1);
  assert.deepEqual(history.leases.page({ limit: 100, text: "10.0.0.24" }).total, 1);
  assert.deepEqual(history.leases.page({ limit: 100, class: "phones" }).total, 3);
  assert.deepEqual(history.leases.page({ limit: 100, class: "phone" }).total, 0);
  assert.equal(
    history.leases.page({ limit: 100, range: { first: ip("10.0.0.3"), last: ip("10.0.0.6") } }).total,
    4,
  );
  history.close();
  store.close();
});

test("a database of a newer version is left as it is, and the start says so", (t) => {
  const { store, path } = opened(t);
  store.close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 999");
  database.close();
  assert.throws(() => new SqliteStore(path), /newer version of Frontdesk/);
});

test("of a node that begins anew twice, what its peer sent of an address in between is kept, not what it held before", (t) => {
  const { store } = opened(t);
  beginAnew(store, [put(lease(1)), put(lease(2)), put(lease(3))]);
  beginAnew(store, [put(lease(1, { mac: mac(9) })), put(lease(2, { state: STATE.released }))]);
  const kept = store.cleared.first(10).map(({ ip: address, mac: [, , , , , last] }) => [address, last]);
  assert.deepEqual(kept, [
    [ip("10.0.0.1"), 9],
    [ip("10.0.0.3"), 3],
  ]);
  store.close();
});
