import assert from "node:assert/strict";
import { test } from "node:test";
import { HA_STATES } from "@frontdesk/lease-control-api/ha-states";
import fc from "fast-check";
import { EMPTY_RECORD } from "../../src/dhcp4/lease-details.ts";
import { EMPTY_RECORD6 } from "../../src/dhcp6/lease-details.ts";
import { FrameSplitter } from "../../src/ha/frame-splitter.ts";
import { decodeDetails, decodeDetails6, encodeDetails, encodeDetails6 } from "../../src/ha/lease-details.ts";
import type { Hello, Message, SentRow } from "../../src/ha/messages.ts";
import { Malformed } from "../../src/ha/octets.ts";
import { decodeFrame, encodeFrame, type Frame } from "../../src/ha/wire.ts";
import { FOREVER, STATE } from "../../src/leases/binding.ts";
import { pairPlanOf } from "../../src/pair-plan.ts";
import { configOf } from "../desk.ts";
import { BEAT } from "./core-node.ts";

const hex = (octet: number) => octet.toString(16).padStart(2, "0");

/** Objects as they are written in code. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });
const seq = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const time = fc.double({ min: 0, max: 2 ** 32, noNaN: true });
const address = fc.oneof(fc.nat({ max: 0xffffffff }), fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }));
const range = fc
  .tuple(address, address)
  .filter(([first, last]) => typeof first === typeof last && first <= last)
  .map(([first, last]) => ({ first, last }));
const role = fc.constantFrom("primary" as const, "secondary" as const);
const state = fc.constantFrom(...HA_STATES);
const row: fc.Arbitrary<SentRow> = record({
  address,
  client: fc.string({ unit: "grapheme", maxLength: 40 }),
  state: fc.constantFrom(...Object.values(STATE)),
  server: role,
  end: time,
  promise: time,
  seq,
  base: seq,
  details: fc.uint8Array({ maxLength: 40 }),
});
const hello: fc.Arbitrary<Hello> = record({
  type: fc.constant("hello" as const),
  version: fc.nat(),
  node: fc.string(),
  store: fc.string(),
  peerStore: fc.option(fc.string()),
  role,
  mode: fc.constantFrom("hot-standby" as const, "load-balancing" as const),
  identity: fc.string(),
  epoch: seq,
  holder: role,
  agreed: seq,
  lastSeq: seq,
  appliedSeq: seq,
  ackedSeq: seq,
  restores: fc.boolean(),
  state,
  lead: fc.nat(),
  skew: fc.nat(),
  plan: fc.string(),
  clock: time,
  servers: fc.array(fc.string(), { maxLength: 3 }),
});
const rows = fc.array(row, { maxLength: 6 });
const message: fc.Arbitrary<Message> = fc.oneof(
  hello,
  record({
    type: fc.constant("refuse" as const),
    reason: fc.constantFrom("version" as const, "skew" as const),
  }),
  record({
    type: fc.constant("update" as const),
    rows,
    given: fc.array(range, { maxLength: 6 }),
    upTo: seq,
  }),
  record({ type: fc.constant("ack" as const), n: seq, m: seq }),
  record({ type: fc.constant("want" as const), pool: range, count: fc.nat() }),
  record({ type: fc.constant("page" as const), rows, isFirst: fc.boolean() }),
  record({ type: fc.constant("page_end" as const), upTo: seq }),
  record({
    type: fc.constant("beat" as const),
    clock: time,
    echo: fc.option(time),
    state,
    serving: fc.boolean(),
    drained: fc.boolean(),
    lastSeq: seq,
    plan: fc.string(),
    prepared: fc.boolean(),
    since: time,
    service: fc.string(),
    replay: seq,
  }),
  record({ type: fc.constant("handover" as const), lastSeq: seq }),
  record({
    type: fc.constant("devices" as const),
    devices: fc.array(
      record({
        mac: fc.uint8Array({ maxLength: 8 }),
        note: fc.option(fc.string()),
        dnsName: fc.option(fc.string()),
        changed: seq,
        address: fc.option(address),
      }),
      { maxLength: 4 },
    ),
  }),
  record({ type: fc.constant("bye" as const) }),
);
const frame: fc.Arbitrary<Frame> = record({ counter: fc.nat({ max: 0xffffffff }), message });
const LENGTH = 4;
const ADDED_TO_BEAT = 8;

test("every message is read as it was written", () => {
  fc.assert(
    fc.property(frame, (each) => {
      assert.deepEqual(decodeFrame(encodeFrame(each).subarray(LENGTH)), each);
    }),
  );
});

test("a stream gives the same frames wherever it is cut into pieces", () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
      (frames, sizes) => {
        const stream = Buffer.concat(frames.map(encodeFrame));
        const reader = new FrameSplitter();
        const read: Frame[] = [];
        for (let at = 0; at < stream.length; ) {
          const size = sizes.next().value;
          read.push(...reader.push(stream.subarray(at, at + size)).map(decodeFrame));
          at += size;
        }
        assert.deepEqual(read, frames);
      },
    ),
  );
});

test("a frame that is cut short is no frame, and is not read beyond its end", () => {
  fc.assert(
    fc.property(frame, fc.nat(), (each, chance) => {
      const whole = encodeFrame(each);
      const size = chance % whole.length;
      // Without what was added to it last, a beat is that of the version before.
      fc.pre(each.message.type !== "beat" || size !== whole.length - ADDED_TO_BEAT);
      assert.deepEqual(new FrameSplitter().push(whole.subarray(0, size)), []);
      const body = whole.subarray(LENGTH, Math.max(LENGTH, size));
      assert.throws(() => decodeFrame(body), Malformed);
    }),
  );
});

test("whatever comes over the link is read or refused, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      frame,
      fc.nat(),
      fc.nat({ max: 255 }),
      (noise, each, at, octet) => {
        const changed = encodeFrame(each);
        changed[at % changed.length] = octet;
        for (const octets of [noise, changed]) {
          try {
            new FrameSplitter().push(octets).map(decodeFrame);
          } catch (error) {
            assert.ok(error instanceof Malformed, String(error));
          }
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("a beat of the version before, which tells nothing of replay detection, is read", () => {
  const beat = { ...BEAT, replay: 77 };
  const whole = encodeFrame({ counter: 1, message: beat }).subarray(LENGTH);
  assert.deepEqual(decodeFrame(whole).message, beat);
  const before = whole.subarray(0, whole.length - ADDED_TO_BEAT);
  assert.deepEqual(decodeFrame(before).message, { ...BEAT, replay: 0 });
});

test("what a later version adds to a message or a row is skipped", () => {
  const ack = encodeFrame({ counter: 1, message: { type: "ack", n: 5, m: 6 } });
  const longer = Uint8Array.of(...ack.subarray(LENGTH), 9, 9, 9);
  assert.deepEqual(decodeFrame(longer).message, { type: "ack", n: 5, m: 6 });
  const page = encodeFrame({ counter: 1, message: { type: "page", rows: [ROW], isFirst: true } }).subarray(
    LENGTH,
  );
  const [head, size, rest] = [
    page.subarray(0, 7),
    new DataView(page.slice(7, 11).buffer).getUint32(0),
    page.subarray(11),
  ];
  const [fields, end] = [rest.subarray(0, size), rest.subarray(size)];
  const wider = Uint8Array.of(...head, 0, 0, 0, size + 2, ...fields, 7, 7, ...end);
  assert.deepEqual(decodeFrame(wider).message, { type: "page", rows: [ROW], isFirst: true });
});

const ROW: SentRow = {
  address: 0x0a4d0109,
  client: "a",
  state: STATE.bound,
  server: "secondary",
  end: 1000,
  promise: 2000,
  seq: 7,
  base: 3,
  details: Uint8Array.of(1, 2),
};

test("an update is these octets", () => {
  const message: Message = { type: "update", rows: [ROW], given: [{ first: 1, last: 2 }], upTo: 7 };
  const row = [
    "04 0a4d0109",
    "0001 61",
    "02 01",
    "408f400000000000 409f400000000000",
    "0000000000000007 0000000000000003",
    "00000002 0102",
  ].join(" ");
  const expected = [
    "0000004f",
    "0000002a",
    "02",
    "0001",
    "00000030",
    row,
    "0001 04 00000001 04 00000002",
    "0000000000000007",
  ];
  const octets = Buffer.from(encodeFrame({ counter: 42, message })).toString("hex");
  assert.equal(octets, expected.join("").replaceAll(" ", ""));
});

test("a reservation for thousands of devices has a name that a message has room for", () => {
  const named = (devices: number) => {
    const macs = Array.from({ length: devices }, (_, n) => `"02:00:00:00:${hex(n >> 8)}:${hex(n & 255)}"`);
    const config = configOf(
      `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.reservation]]\nip = "10.77.0.50"\nmac = [${macs}]\n`,
    );
    const [client = ""] = pairPlanOf(config).reserved.values();
    const message: Message = { type: "update", rows: [{ ...ROW, client }], given: [], upTo: 7 };
    const back = decodeFrame(encodeFrame({ counter: 0, message }).subarray(LENGTH));
    assert.deepEqual(back.message, message);
    return client;
  };
  assert.match(named(2), /^reservation mac 020000000000 mac 020000000001$/);
  assert.notEqual(named(5000), named(5001));
});

test("a text that is too long leaves what comes after it as it is", () => {
  const message: Message = {
    type: "update",
    rows: [{ ...ROW, client: "ä".repeat(40_000) }],
    given: [],
    upTo: 7,
  };
  const { message: back } = decodeFrame(encodeFrame({ counter: 0, message }).subarray(LENGTH));
  const rows = [{ ...ROW, client: "ä".repeat(32_767) }];
  assert.deepEqual(back, { ...message, rows });
});

test("a range that ends before it begins, or in another family, is refused", () => {
  for (const range of [
    { first: 2, last: 1 },
    { first: 1, last: 1n },
  ]) {
    const octets = encodeFrame({ counter: 0, message: { type: "want", pool: range, count: 1 } });
    assert.throws(() => decodeFrame(octets.subarray(LENGTH)), Malformed);
  }
});

test("a frame beyond the limit is refused before it is waited for", () => {
  assert.throws(() => new FrameSplitter().push(Uint8Array.of(0xff, 0xff, 0xff, 0xff)), Malformed);
});

test("all that is kept of a lease comes back as it was", () => {
  const u32 = fc.nat({ max: 0xffffffff });
  const bytes = fc.uint8Array({ maxLength: 80 });
  const maybeBytes = fc.option(bytes);
  const maybeText = fc.option(fc.string({ unit: "grapheme", maxLength: 40 }));
  const lease = record<ReturnType<typeof decodeDetails>>({
    htype: u32,
    mac: bytes,
    clientId: maybeBytes,
    hostname: maybeText,
    fqdn: maybeText,
    vendor: maybeText,
    classes: maybeText,
    starts: u32,
    seen: u32,
    interface: maybeText,
    giaddr: u32,
    circuitId: maybeBytes,
    remoteId: maybeBytes,
    relayAgent: maybeBytes,
    nonce: maybeBytes,
    told: u32,
    renewals: u32,
    digest: u32,
  });
  fc.assert(
    fc.property(lease, (kept) => {
      const back = decodeDetails(encodeDetails({ ...EMPTY_RECORD, ...kept }));
      assert.deepEqual(back, kept);
    }),
  );
});

test("what a client may believe to have of a prefix travels with its lease, in the other clock; the version before has none", () => {
  const lease = { ...EMPTY_RECORD6, length: 60, earlierLength: 56, earlierUntil: 1000 };
  const octets = encodeDetails6(lease, 100);
  const read = ({ earlierLength, earlierUntil }: ReturnType<typeof decodeDetails6>) => [
    earlierLength,
    earlierUntil,
  ];
  assert.deepEqual(read(decodeDetails6(octets, 300)), [56, 1200]);
  assert.deepEqual(read(decodeDetails6(octets.subarray(0, -8), 300)), [0, 0]);
  const endless = encodeDetails6({ ...lease, earlierUntil: FOREVER }, 100);
  assert.deepEqual(read(decodeDetails6(endless, 300)), [56, FOREVER]);
});
