import assert from "node:assert/strict";
import { test } from "node:test";
import { dhcidOf } from "../src/ddns/dhcid.ts";
import { type AnswerRecord, RECORD } from "../src/ddns/dns-message.ts";
import { octetsOf } from "../src/ddns/name-plan.ts";
import {
  createNameReconciler,
  type DifferenceCursor,
  FIRST_DIFFERENCE,
  type NameReconcilerParts,
  PeerAway,
} from "../src/ddns/name-reconciler.ts";
import { type NameResult, NOTHING_KEPT } from "../src/leases/dns-name.ts";
import { configOf } from "./desk.ts";

const ADDRESSES = { ip: 0 };
const STALE = { name: "ghost.office.example", dhcid: Uint8Array.of(0, 1, 1, 7) };
const config = configOf(`[ddns]
enabled = true
server = "127.0.0.1:53"
forward_zone = "office.example"
reverse_zone = "77.10.in-addr.arpa"
[[subnet]]
network = "10.77.0.0/16"
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.250"
exclude = ["10.77.1.200 - 10.77.1.250"]
`);
const ddns = config.ddns ?? assert.fail("DDNS is on");

/** Nobody has an address, and every removal succeeds. */
function reconciler(parts: Partial<NameReconcilerParts>) {
  const removed: string[] = [];
  const updates: NameReconcilerParts["updates"] = {
    removeForward: async (_zones, { name }) => {
      removed.push(name);
      return { kind: "done" };
    },
    removeReverse: async () => ({ kind: "done" }),
  };
  const own = createNameReconciler({
    config: () => config,
    exchange: { query: async () => ({ kind: "answered", rcode: "NXDOMAIN", records: [] }) },
    updates,
    names: { settled: () => [], find: () => undefined, isInUse: () => false, firstInConflict: () => [] },
    knowsAll: async () => true,
    settle: async () => true,
    monotonic: () => 0,
    wait: async () => {},
    ...parts,
  });
  return { ...own, removed };
}

test("while the peer is away nothing is called stale: it may have given the address", async () => {
  const { differences, remove, removed } = reconciler({ knowsAll: async () => false });
  await assert.rejects(differences(ddns, ADDRESSES), PeerAway);
  const { left } = await remove(ddns, [{ ...STALE, address: "10.77.1.9" }]);
  assert.match(left[0]?.reason ?? "", /the peer is away/);
  assert.deepEqual(removed, []);
});

test("a peer that goes away meanwhile ends the removing", async () => {
  let looks = 0;
  const { remove, removed } = reconciler({ knowsAll: async () => ++looks < 2 });
  const stale = ["10.77.1.8", "10.77.1.9"].map((address) => ({ ...STALE, address }));
  assert.deepEqual([(await remove(ddns, stale)).removed, removed.length], [1, 1]);
});

test("addresses that a pool leaves out are another server's, and so are their names", async () => {
  const asked: string[] = [];
  const query = async (_server: unknown, name: string) => {
    asked.push(name);
    return { kind: "answered", rcode: "NXDOMAIN", records: [] } as const;
  };
  const { differences, remove, removed } = reconciler({ exchange: { query } });
  await differences(ddns, ADDRESSES);
  assert.equal(asked.length, 199);
  const { left } = await remove(ddns, [{ ...STALE, address: "10.77.1.220" }]);
  assert.match(left[0]?.reason ?? "", /no pool has the address/);
  assert.deepEqual(removed, []);
});

test("a name that is another's by now is left, and so is the way back to it", async () => {
  const reversed: string[] = [];
  const updates: NameReconcilerParts["updates"] = {
    removeForward: async () => ({ kind: "done", isGone: true }),
    removeReverse: async (_zones, name) => {
      reversed.push(name);
      return { kind: "done" };
    },
  };
  const { left, removed } = await reconciler({ updates }).remove(ddns, [{ ...STALE, address: "10.77.1.9" }]);
  assert.deepEqual([removed, reversed], [0, []]);
  assert.match(left[0]?.reason ?? "", /another's/);
});

test("a server that falls silent is not asked to remove the rest, and an odd name stops no other", async () => {
  const asked: string[] = [];
  const updates: NameReconcilerParts["updates"] = {
    removeForward: async (_zones, { name }) => {
      asked.push(name);
      return { kind: "later", error: "the server does not answer", isSilent: true };
    },
    removeReverse: async () => ({ kind: "done" }),
  };
  const names = ["anna's laptop.office.example", "a.office.example", "b.office.example"];
  const stale = names.map((name, n) => ({ ...STALE, name, address: `10.77.1.${n + 1}` }));
  const { done, left } = await reconciler({ updates }).remove(ddns, stale);
  assert.deepEqual([done, asked], [3, ["a.office.example"]]);
  assert.deepEqual(
    left.map(({ address }) => address),
    ["10.77.1.1", "10.77.1.2", "10.77.1.3"],
  );
});

test("whoever waits for a name that was removed is given it", async () => {
  const told: NameResult[] = [];
  const waiting = {
    address: "10.77.1.7",
    side: "forward",
    state: "conflict",
    seq: 3,
    wanted: STALE.name,
  } as const;
  const row = { ...waiting, ...NOTHING_KEPT, owner: null, tries: 0 };
  const { remove } = reconciler({
    names: {
      settled: () => [],
      find: () => undefined,
      isInUse: () => false,
      firstInConflict: (name) => (name === STALE.name ? [row] : []),
    },
    settle: async (results) => {
      told.push(...results);
      return true;
    },
  });
  await remove(ddns, [{ ...STALE, address: "10.77.1.9" }]);
  assert.deepEqual(
    told.map(({ address, seq, state }) => [address, seq, state]),
    [["10.77.1.7", 3, "pending"]],
  );
});

test("a name that the other server of a pair brought is there by whichever suffix it has", async () => {
  const owner = Uint8Array.of(1, 2, 3);
  const suffixing = { ...ddns, collision: "suffix" as const };
  const [wanted, brought] = ["anna.office.example", "anna-2.office.example"];
  const records = new Map<string, AnswerRecord>([
    [`${wanted} ${RECORD.dhcid}`, { type: RECORD.dhcid, data: dhcidOf(Uint8Array.of(9), wanted) }],
    [`${brought} ${RECORD.dhcid}`, { type: RECORD.dhcid, data: dhcidOf(owner, brought) }],
    [`${brought} ${RECORD.a}`, { type: RECORD.a, data: octetsOf("10.77.1.7") }],
    [`7.1.77.10.in-addr.arpa ${RECORD.ptr}`, { type: RECORD.ptr, data: brought }],
  ]);
  const query = async (_server: unknown, name: string, type: number) => {
    const record = records.get(`${name} ${type}`);
    return { kind: "answered", rcode: "NOERROR", records: record ? [record] : [] } as const;
  };
  const kept = { kept: wanted, keptFor: wanted, keptAt: "there", peerOwner: owner };
  const common = { address: "10.77.1.7", state: "kept", wanted, tries: 0, ...kept } as const;
  const rows = [
    { ...common, side: "forward", owner, keptDhcid: dhcidOf(owner, wanted), seq: 2 } as const,
    { ...common, side: "reverse", owner: null, keptDhcid: null, seq: 1 } as const,
  ];
  const names = {
    settled: () => rows,
    find: () => undefined,
    isInUse: () => false,
    firstInConflict: () => [],
  };
  const { differences } = reconciler({ exchange: { query }, names });
  assert.deepEqual((await differences(suffixing, FIRST_DIFFERENCE)).missing, []);
  records.delete(`${brought} ${RECORD.a}`);
  const { missing } = await differences(suffixing, FIRST_DIFFERENCE);
  assert.deepEqual(
    missing.map(({ row }) => row.side),
    ["forward"],
  );
});

test("a page ends after some seconds with what it has, however slow the server is, and nothing is asked twice or left out", async () => {
  let now = 0;
  const asked: string[] = [];
  const query = async (_server: unknown, name: string) => {
    asked.push(name);
    now += 500;
    return { kind: "answered", rcode: "NXDOMAIN", records: [] } as const;
  };
  const row = { side: "forward", state: "conflict", ...NOTHING_KEPT, owner: null, tries: 0, seq: 1 } as const;
  const rows = Array.from({ length: 100 }, (_, n) => ({
    ...row,
    address: `10.77.1.${100 + n}`,
    wanted: `host-${n}.office.example`,
  }));
  const names = {
    settled: (after: { address: string }, limit: number) =>
      rows.filter(({ address }) => address > after.address).slice(0, limit),
    find: () => undefined,
    isInUse: (ip: number) => ip % 2 === 0,
    firstInConflict: () => [],
  };
  const { differences } = reconciler({ exchange: { query }, names, monotonic: () => now });
  const missing: string[] = [];
  let [pages, longest] = [0, 0];
  for (let cursor: DifferenceCursor | undefined = FIRST_DIFFERENCE; cursor; pages++) {
    const begun = now;
    const page = await differences(ddns, cursor);
    missing.push(...page.missing.map(({ name }) => name));
    longest = Math.max(longest, now - begun);
    cursor = page.next;
  }
  assert.ok(pages > 4, `${pages} pages`);
  assert.ok(longest <= 20_000, `${longest} ms for a page`);
  assert.deepEqual(missing.toSorted(), rows.map(({ wanted }) => wanted).toSorted());
  assert.equal(asked.length, new Set(asked).size, "each is asked for once");
  assert.equal(asked.length, 100 + 100, "the names, and every other of 199 addresses");
});

test("of an address with thousands of names, a few are looked at", async () => {
  const asked: string[] = [];
  const ptrs = Array.from({ length: 2500 }, (_, n) => ({ type: RECORD.ptr, data: `h${n}.office.example` }));
  const query = async (_server: unknown, name: string, type: number) => {
    asked.push(name);
    return { kind: "answered", rcode: "NOERROR", records: answersTo(type, "10.77.1.9", ptrs) } as const;
  };
  const names = { settled: () => [], find: () => undefined, firstInConflict: () => [] };
  const isInUse = (_ip: number, address: string) => address !== "10.77.1.9";
  const { differences } = reconciler({ exchange: { query }, names: { ...names, isInUse } });
  const { stale, next } = await differences(ddns, ADDRESSES);
  assert.ok(asked.length <= 20, `${asked.length} questions`);
  assert.deepEqual(
    stale.map(({ name }) => name),
    ptrs.slice(0, stale.length).map(({ data }) => data),
  );
  assert.ok(stale.length > 1);
  assert.equal(next, undefined);
});

test("a page is there within half a minute, whenever its server becomes slow", async () => {
  for (let slowFrom = 0; slowFrom <= 8000; slowFrom += 500) {
    let now = 0;
    const query = async (_server: unknown, _name: string, type: number) => {
      const isSlow = now >= slowFrom;
      const answeredAt = now + (isSlow ? 8000 : 500);
      await new Promise(setImmediate);
      now = Math.max(now, answeredAt);
      const ptrs = ["one", "two"].map((name) => ({ type: RECORD.ptr, data: `${name}.office.example` }));
      const records = isSlow ? answersTo(type, "10.77.1.9", ptrs) : [];
      return { kind: "answered", rcode: "NOERROR", records } as const;
    };
    const { differences } = reconciler({ exchange: { query }, monotonic: () => now });
    await differences(ddns, ADDRESSES);
    assert.ok(now < 30_000, `slow from ${slowFrom} ms on: ${now} ms`);
  }
});

/** What a server has of names that are all an address's. */
function answersTo(type: number, address: string, ptrs: readonly AnswerRecord[]): readonly AnswerRecord[] {
  if (type === RECORD.ptr) return ptrs;
  return [{ type, data: type === RECORD.dhcid ? STALE.dhcid : octetsOf(address) }];
}
