import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { STATE } from "../src/leases/binding.ts";
import type { LeaseRecord } from "../src/leases/lease-record.ts";
import { History } from "../src/store/history.ts";
import type { NotedLease } from "../src/store/lease-pages.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import { ip } from "./desk.ts";
import { seededRandom } from "./mutated-packets.ts";

const NAMES = [
  "printer_1",
  "printer-1",
  "100%",
  "back\\slash",
  "Ünal",
  "ÜNAL",
  "door",
  "DOOR",
  "a:b",
  "10.0",
  null,
];
const VENDORS = ["MSFT 5.0", "udhcp 1.36", "06:0", null];

const random = seededRandom(7);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const bytes = (length: number) => Uint8Array.from({ length }, () => pick([0x00, 0x06, 0x60, 0xab, 0xba]));

const lease = (n: number): LeaseRecord => ({
  ip: ip("10.0.0.0") + n * 211,
  state: STATE.bound,
  htype: 1,
  mac: bytes(6),
  clientId: random() < 0.5 ? null : bytes(9),
  hostname: pick(NAMES),
  fqdn: pick(["door.example.org", null]),
  vendor: pick(VENDORS),
  classes: pick(["phones", "a,phones", null]),
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
});

/** SQLite knows the case of A to Z alone. */
const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function shows(each: NotedLease, text: string): boolean {
  const { mac, clientId, hostname, fqdn, vendor, classes, note, dnsName } = each;
  const identifiers = [formatHex(mac), clientId && formatHex(clientId)];
  return [formatIpv4(each.ip), ...identifiers, hostname, fqdn, vendor, classes, note, dnsName].some(
    (field) => field !== null && folded(field).includes(folded(text)),
  );
}

test("a search finds the leases of which a shown field contains the text, and no others", (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const store = new SqliteStore(path);
  const leases = Array.from({ length: 300 }, (_, n) => lease(n));
  store.commit({
    writes: leases.map((each) => ({ kind: "put", lease: each, keepRelay: false })),
    events: [],
    notes: leases
      .filter((_, n) => n % 7 === 0)
      .map(({ mac }, n) => ({
        mac,
        note: n % 2 ? "Behind the Door" : null,
        dnsName: "lobby-60",
        changed: 1,
      })),
    clock: undefined,
  });
  const history = new History(path);
  const all = history.leases.page({ limit: 1000 }).items;
  const fields = all.flatMap((each) => [
    formatIpv4(each.ip),
    formatHex(each.mac),
    each.clientId ? formatHex(each.clientId) : "",
    each.hostname ?? "",
    each.vendor ?? "",
    each.note ?? "",
  ]);
  const parts = Array.from({ length: 400 }, () => {
    const field = pick(fields);
    const start = Math.floor(random() * field.length);
    const part = field.slice(start, start + 1 + Math.floor(random() * 8));
    return random() < 0.3 ? part.toUpperCase() : part;
  });
  for (const text of ["%", "_", "\\", "r_1", "6:00", "60:0", ":", "0600", "ü", "Ü", ...parts]) {
    if (text === "") continue;
    const expected = all.filter((each) => shows(each, text)).map((each) => formatIpv4(each.ip));
    const found = history.leases.page({ limit: 1000, text });
    assert.deepEqual(
      found.items.map((each) => formatIpv4(each.ip)),
      expected,
      text,
    );
    const page = history.leases.page({ limit: 5, text });
    assert.deepEqual([found.total, page.total], [expected.length, expected.length], text);
  }
  history.close();
  store.close();
});

test("how many leases there are, and how many a search finds, is right after every write", (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const store = new SqliteStore(path);
  const put = (each: LeaseRecord) =>
    store.commit({
      writes: [{ kind: "put", lease: each, keepRelay: false }],
      events: [],
      notes: [],
      clock: undefined,
    });
  const history = new History(path);
  const totals = () => [
    history.leases.page({ limit: 1 }).total,
    history.leases.page({ limit: 1, text: "door" }).total,
    history.leases.page({ limit: 1, states: [STATE.released] }).total,
    history.leases.page6({ limit: 1 }).total,
  ];
  for (let n = 1; n <= 4; n++) {
    put({ ...lease(n), hostname: n % 2 ? "door" : "lobby", fqdn: null });
    const doors = Math.ceil(n / 2);
    assert.deepEqual(totals(), [n, doors, 0, 0]);
    assert.deepEqual(totals(), [n, doors, 0, 0]);
  }
  put({ ...lease(1), hostname: "gate", fqdn: null, state: STATE.released });
  assert.deepEqual(totals(), [4, 1, 1, 0]);
  history.close();
  store.close();
});
