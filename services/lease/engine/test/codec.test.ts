import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHex } from "@frontdesk/lease-options/address";
import { OPTION_CODES, OPTIONS } from "@frontdesk/lease-options/option-table";
import { concat, Unfit } from "@frontdesk/lease-options/option-types";
import fc from "fast-check";
import { readFqdn } from "../src/dhcp4/client-names.ts";
import { describeMessage } from "../src/dhcp4/describe.ts";
import { decodeMessage, encodeMessage, type Message } from "../src/dhcp4/message.ts";
import { readRelayAgent } from "../src/dhcp4/relay-agent.ts";
import { mutatedPackets } from "./mutated-packets.ts";

const PACKETS = join(import.meta.dirname, "golden/packets");
const packet = (name: string) =>
  parseHex(readFileSync(join(PACKETS, name), "utf8").replace(/\s/g, "")) as Uint8Array;

const EMPTY = new Uint8Array(0);
function message(options: ReadonlyArray<[number, Uint8Array]>, header: Partial<Message> = {}): Message {
  return {
    op: 1,
    htype: 1,
    hlen: 6,
    hops: 0,
    xid: 1,
    secs: 0,
    flags: 0,
    ciaddr: 0,
    yiaddr: 0,
    siaddr: 0,
    giaddr: 0,
    chaddr: Uint8Array.of(2, 0, 0, 0, 0, 1),
    sname: EMPTY,
    file: EMPTY,
    options: new Map(options),
    type: 1,
    ...header,
  };
}
function decoded(bytes: Uint8Array): Message {
  const result = decodeMessage(bytes);
  assert.ok(!("malformed" in result), "malformed" in result ? result.malformed : "");
  return result;
}
function roundTrip(value: Message, size?: number): Message {
  const out = new Uint8Array(2048);
  const { length } = encodeMessage(value, out, size);
  return decoded(out.subarray(0, length));
}
const plain = (value: Message) => ({
  ...value,
  options: [...value.options].map(([code, bytes]) => [code, [...bytes]]).sort(),
  chaddr: [...value.chaddr],
  file: [...value.file],
  sname: [...value.sname],
});

for (const name of readdirSync(PACKETS).filter((file) => file.endsWith(".hex"))) {
  test(`a captured packet reads as it did when it was captured: ${name}`, () => {
    const golden = join(PACKETS, name.replace(".hex", ".json"));
    assert.deepEqual(
      JSON.parse(JSON.stringify(describeMessage(decoded(packet(name))))),
      JSON.parse(readFileSync(golden, "utf8")),
    );
  });

  test(`a captured packet survives decode and encode: ${name}`, () => {
    const first = decoded(packet(name));
    assert.deepEqual(plain(roundTrip(first, 1500)), plain(first));
  });
}

test("any message survives encode and decode, options over 255 octets included (RFC 3396)", () => {
  const bytes = (max: number) => fc.uint8Array({ minLength: 0, maxLength: max });
  const u32 = fc.nat(0xffffffff);
  const arbitrary = fc.record({
    op: fc.constantFrom(1, 2),
    htype: fc.nat(255),
    hops: fc.nat(255),
    xid: u32,
    secs: fc.nat(65535),
    flags: fc.nat(65535),
    ciaddr: u32,
    yiaddr: u32,
    siaddr: u32,
    giaddr: u32,
    chaddr: bytes(16),
    options: fc.dictionary(fc.integer({ min: 1, max: 254 }).map(String), bytes(300), { maxKeys: 4 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ options, chaddr, ...header }) => {
      const entries = Object.entries(options)
        .map(([code, value]): [number, Uint8Array] => [Number(code), value])
        .filter(([code]) => code !== 52 && code !== 53);
      const value = message([[53, Uint8Array.of(1)], ...entries], { ...header, chaddr, hlen: chaddr.length });
      assert.deepEqual(plain(roundTrip(value, 2000)), plain(value));
    }),
    { numRuns: 300 },
  );
});

test("options that do not fit go on in file and sname, and read back whole (RFC 2132 section 9.3)", () => {
  const value = message(
    [
      [53, Uint8Array.of(5)],
      [43, new Uint8Array(250).fill(1)],
      [17, new Uint8Array(100).fill(2)],
      [15, new Uint8Array(50).fill(3)],
      [82, new Uint8Array(20).fill(4)],
    ],
    { type: 5 },
  );
  assert.deepEqual(plain(roundTrip(value, 576)), plain(value));
});

test("a used file field is not taken for options (RFC 2132 section 9.3)", () => {
  const file = new Uint8Array(Buffer.from("boot.img"));
  const value = message(
    [
      [53, Uint8Array.of(5)],
      [43, new Uint8Array(250)],
      [17, new Uint8Array(100)],
    ],
    { file },
  );
  const out = new Uint8Array(2048);
  const { left } = encodeMessage(value, out, 576);
  assert.deepEqual(left, [17]);
  assert.equal(Buffer.from(decoded(out.subarray(0, 548)).file).toString(), "boot.img");
});

test("the reply never passes the size the client can take (RFC 2132 section 9.10)", () => {
  const options: Array<[number, Uint8Array]> = Array.from({ length: 30 }, (_, i) => [
    100 + i,
    new Uint8Array(40),
  ]);
  const { length, left } = encodeMessage(message(options), new Uint8Array(2048), 576);
  assert.ok(length <= 548, String(length));
  assert.ok(left.length > 0);
});

test("the relay agent's option is the last one before the end (RFC 3046 section 2.1)", () => {
  const out = new Uint8Array(600);
  encodeMessage(
    message([
      [82, Uint8Array.of(1, 1, 9)],
      [53, Uint8Array.of(2)],
      [51, new Uint8Array(4)],
    ]),
    out,
  );
  assert.deepEqual([...out.subarray(240, 255)], [53, 1, 2, 51, 4, 0, 0, 0, 0, 82, 3, 1, 1, 9, 255]);
});

test("a relay agent's option that leaves no room for the reply is left out, and said to be (RFC 3046 section 2.2)", () => {
  const reply = (octets: number) =>
    message([
      [53, Uint8Array.of(2)],
      [54, Uint8Array.of(10, 0, 0, 1)],
      [51, Uint8Array.of(0, 0, 14, 16)],
      [15, new Uint8Array(60).fill(97)],
      [82, new Uint8Array(octets).fill(1)],
    ]);
  for (const size of [576, 1500]) {
    for (let octets = 0; octets < 1500; octets++) {
      const out = new Uint8Array(4096);
      const { length, left } = encodeMessage(reply(octets), out, size);
      assert.ok(length <= size - 28, `${octets} octets of option 82: ${length}`);
      const { options, type } = decoded(out.subarray(0, length));
      assert.deepEqual([type, options.get(54)?.length], [2, 4]);
      assert.equal(options.get(82)?.length, left.includes(82) ? undefined : octets);
    }
  }
  const kept = encodeMessage(reply(255), new Uint8Array(600), 576);
  assert.ok(!kept.left.includes(82), "one of the usual kind comes back");
});

test("a message has at least 300 octets (RFC 1542 section 2.1)", () => {
  assert.equal(encodeMessage(message([[53, Uint8Array.of(2)]]), new Uint8Array(600)).length, 300);
});

test("pieces of one option are joined in the order options, file, sname (RFC 3396 section 5)", () => {
  const bytes = new Uint8Array(300);
  bytes.set([1, 1, 6]);
  bytes.set(
    [99, 0x82, 83, 99].map((x) => x),
    236,
  );
  bytes.set([0x63, 0x82, 0x53, 0x63, 53, 1, 1, 12, 2, 97, 98, 52, 1, 3, 255], 236);
  bytes.set([12, 2, 99, 100, 255], 108);
  bytes.set([12, 2, 101, 102, 255], 44);
  assert.equal(Buffer.from(decoded(bytes).options.get(12) as Uint8Array).toString(), "abcdef");
});

const broken: Array<[name: string, bytes: Uint8Array]> = [
  ["nothing", EMPTY],
  ["half a header", new Uint8Array(100)],
  ["a hardware address of 17 octets", concat([Uint8Array.of(1, 1, 17), new Uint8Array(297)])],
  [
    "an option longer than the packet",
    concat([Uint8Array.of(1, 1, 6), new Uint8Array(233), Uint8Array.of(0x63, 0x82, 0x53, 0x63, 12, 200)]),
  ],
  [
    "an overload of 9",
    concat([
      Uint8Array.of(1, 1, 6),
      new Uint8Array(233),
      Uint8Array.of(0x63, 0x82, 0x53, 0x63, 52, 1, 9, 255),
    ]),
  ],
];
for (const [name, bytes] of broken) {
  test(`a packet that is no message is told apart, not thrown on: ${name}`, () => {
    assert.ok("malformed" in decodeMessage(bytes));
  });
}

test("every option of the table keeps a value through write and read", () => {
  const samples: Record<string, unknown> = {
    u8: 7,
    u16: 700,
    u32: 70000,
    i32: -3600,
    bool: true,
    flag: true,
    text: "Grüße",
    bytes: "01:02:ff",
    ipv4: "10.0.0.1",
    "ipv4 list": ["10.0.0.1", "10.0.0.2"],
    "u8 list": [1, 2],
    "u16 list": [0, 7],
    "ipv4 pair list": ["10.1.0.0 10.0.0.1"],
    routes: ["10.1.0.0/16 via 10.0.0.1", "0.0.0.0/0 via 10.0.0.2", "10.2.3.128/25 via 10.0.0.3"],
    domain: "access.example.org",
    domains: ["example.org", "lab.example.org"],
    "sip servers": ["10.0.0.9"],
    "sub-options": "06:01:07",
  };
  for (const { name, type } of Object.values(OPTIONS)) {
    assert.ok(Object.hasOwn(samples, type.name), `no sample for ${type.name}`);
    assert.deepEqual(type.read(type.write(samples[type.name])), samples[type.name], name);
    assert.throws(() => type.write({ not: "this" }), Unfit, name);
  }
  assert.equal(OPTION_CODES.size, Object.keys(OPTIONS).length, "two options share a name");
});

test("classless routes have the bytes of the standard's example (RFC 3442)", () => {
  const routes = OPTIONS[121]?.type;
  assert.deepEqual([...(routes?.write(["10.17.0.0/16 via 10.0.0.1"]) ?? [])], [16, 10, 17, 10, 0, 0, 1]);
  assert.throws(() => routes?.write(["10.17.0.1/16 via 10.0.0.1"]), Unfit);
});

test("domain search lists are compressed (RFC 3397 section 2)", () => {
  const search = OPTIONS[119]?.type;
  const bytes = search?.write(["eng.apple.com", "marketing.apple.com"]) as Uint8Array;
  assert.deepEqual(
    [...bytes],
    [
      3,
      ...Buffer.from("eng"),
      5,
      ...Buffer.from("apple"),
      3,
      ...Buffer.from("com"),
      0,
      9,
      ...Buffer.from("marketing"),
      192,
      4,
    ],
  );
});

test("a name that points at itself is refused, not followed for ever (RFC 1035 section 4.1.4)", () => {
  assert.throws(() => OPTIONS[119]?.type.read(Uint8Array.of(192, 0)), Unfit);
});

test("the relay agent's sub-options are read, cut ones left out (RFC 3046, 3527, 5107, 8357)", () => {
  const agent = readRelayAgent(
    Uint8Array.of(1, 2, 97, 98, 5, 4, 10, 1, 0, 0, 11, 4, 10, 0, 0, 1, 19, 0, 2, 9, 1),
  );
  assert.equal(Buffer.from(agent.circuitId ?? []).toString(), "ab");
  assert.deepEqual(
    [agent.linkSelection, agent.serverIdOverride, agent.sourcePort, agent.remoteId],
    [0x0a010000, 0x0a000001, true, undefined],
  );
});

test("a client's domain name reads in both forms (RFC 4702 section 2.1)", () => {
  assert.equal(readFqdn(concat([Uint8Array.of(0, 0, 0), Buffer.from("a.example")])), "a.example");
  assert.equal(readFqdn(Uint8Array.of(4, 0, 0, 1, 97, 2, 98, 99, 0)), "a.bc");
  assert.equal(readFqdn(Uint8Array.of(4, 0, 0, 60, 97)), undefined);
});

test("ten thousand mutated packets: the decoder always answers, and what it reads can be written again", () => {
  const seeds = readdirSync(PACKETS)
    .filter((file) => file.endsWith(".hex"))
    .map(packet);
  const out = new Uint8Array(70_000);
  for (const bytes of mutatedPackets(seeds, 10_000, 42)) {
    const result = decodeMessage(bytes);
    if ("malformed" in result) continue;
    describeMessage(result);
    readRelayAgent(result.options.get(82));
    readFqdn(result.options.get(81));
    assert.ok(encodeMessage(result, out, 1500).length <= 1500);
  }
});
