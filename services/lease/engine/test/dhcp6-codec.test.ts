import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHex, parseIpv6 } from "@frontdesk/lease-options/address";
import { Unfit } from "@frontdesk/lease-options/option-types";
import { OPTION6_CODES, OPTIONS6 } from "@frontdesk/lease-options/option6-table";
import { names6, ntpServers } from "@frontdesk/lease-options/option6-types";
import fc from "fast-check";
import { describePacket } from "../src/dhcp6/describe.ts";
import { type Ia, iaOption, readIa } from "../src/dhcp6/ia.ts";
import { decodePacket, encodePacket, MAX_RELAYS, type Packet6 } from "../src/dhcp6/message.ts";
import { mutatedPackets } from "./mutated-packets.ts";

const hex = (text: string) => parseHex(text.replace(/\s/g, "")) as Uint8Array;
const ip6 = (text: string) => parseIpv6(text) as bigint;

function decoded(bytes: Uint8Array): Packet6 {
  const packet = decodePacket(bytes);
  assert.ok(!("malformed" in packet), "malformed" in packet ? packet.malformed : "");
  return packet;
}

const encoded = (packet: Packet6) => {
  const out = new Uint8Array(70_000);
  return out.slice(0, encodePacket(packet, out).length);
};

/** IA_NA with IAID 1 and the address fd77::10, for 300 and 500 seconds. */
const IA_NA = `0003 0028 00000001 00000096 000000f0
  0005 0018 fd770000000000000000000000000010 0000012c 000001f4`;
const SOLICIT = `01 abcdef 0001 000a 00030001 020000000050 0006 0004 0017 0018 0008 0002 0000 0003 000c 00000001 00000000 00000000`;
const REPLY = `07 abcdef 0001 000a 00030001 020000000050 0002 000a 00030001 020000000001 ${IA_NA}`;
const RELAYED = `0c 01 00000000000000000000000000000000 fe800000000000000000000000000001
  0012 0004 65746831 0009 0058
  0c 00 fd770000000000000000000000000001 fe800000000000000000000000000050
  0025 0006 000000090a0b 0009 0028
  01 abcdef 0001 000a 00030001 020000000050 0008 0002 0000 0003 000c 00000001 00000000 00000000`;

test("a SOLICIT reads as RFC 9915 section 8 and 21 write it", () => {
  assert.deepEqual(describePacket(decoded(hex(SOLICIT))), {
    type: "SOLICIT",
    xid: "0xabcdef",
    options: [
      ["client_id", "00:03:00:01:02:00:00:00:00:50"],
      ["option_request", [23, 24]],
      ["elapsed_time", 0],
      ["ia_na", { iaid: 1, t1: 0, t2: 0, leases: [] }],
    ],
    relays: [],
  });
});

test("a REPLY with an address reads and is written byte for byte (RFC 9915 section 21.4 and 21.6)", () => {
  const packet = decoded(hex(REPLY));
  assert.deepEqual(describePacket(packet).options, [
    ["client_id", "00:03:00:01:02:00:00:00:00:50"],
    ["server_id", "00:03:00:01:02:00:00:00:00:01"],
    ["ia_na", { iaid: 1, t1: 150, t2: 240, leases: [{ address: "fd77::10", preferred: 300, valid: 500 }] }],
  ]);
  assert.deepEqual(encoded(packet), hex(REPLY));
  const ia: Ia = {
    type: 3,
    iaid: 1,
    t1: 150,
    t2: 240,
    leases: [{ address: ip6("fd77::10"), length: 128, preferred: 300, valid: 500 }],
  };
  assert.deepEqual(iaOption(ia).value, hex(IA_NA).subarray(4));
});

test("nested relays read from the outermost in, and are written byte for byte (RFC 9915 section 9)", () => {
  const packet = decoded(hex(RELAYED));
  const { relays, type } = describePacket(packet);
  assert.equal(type, "SOLICIT");
  assert.deepEqual(relays, [
    { hops: 1, link: "::", peer: "fe80::1", options: [["interface_id", "65:74:68:31"]] },
    { hops: 0, link: "fd77::1", peer: "fe80::50", options: [["remote_id", "00:00:00:09:0a:0b"]] },
  ]);
  assert.deepEqual(decoded(encoded(packet)), packet);
});

test("a prefix and what is excluded of it are written byte for byte (RFC 9915 section 21.22, RFC 6603 section 4.2)", () => {
  const value = hex(`00000002 00000000 00000000
    001a 001f 0000012c 000001f4 38 fd770001000001000000000000000000 0043 0002 40 0f`);
  const ia = readIa(25, value) as Ia;
  assert.deepEqual(ia.leases, [
    {
      address: ip6("fd77:1:0:100::"),
      length: 56,
      preferred: 300,
      valid: 500,
      exclude: { address: ip6("fd77:1:0:10f::"), length: 64 },
    },
  ]);
  assert.deepEqual(iaOption(ia).value, value);
});

test("what is excluded of a prefix survives, whatever the lengths (RFC 6603 section 4.2)", () => {
  const arbitrary = fc
    .tuple(fc.integer({ min: 1, max: 127 }), fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }))
    .chain(([length, bits]) =>
      fc.tuple(fc.constant(length), fc.integer({ min: length + 1, max: 128 }), fc.constant(bits)),
    );
  fc.assert(
    fc.property(arbitrary, ([length, own, bits]) => {
      const address = (bits >> BigInt(128 - length)) << BigInt(128 - length);
      const excluded = (bits >> BigInt(128 - own)) << BigInt(128 - own);
      const lease = { address, length, preferred: 1, valid: 2, exclude: { address: excluded, length: own } };
      const ia: Ia = { type: 25, iaid: 7, t1: 0, t2: 0, leases: [lease], status: undefined };
      assert.deepEqual(readIa(25, iaOption(ia).value), ia);
    }),
  );
});

const octets = (max: number) => fc.uint8Array({ minLength: 0, maxLength: max });
const anyOption = fc.record({
  code: fc.integer({ min: 0, max: 65_535 }).filter((code) => code !== 9),
  value: octets(64),
});
const anyOptions = fc.array(anyOption, { maxLength: 6 });
const anyAddress = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });

test("any packet survives encode and decode, repeated options and relays included", () => {
  const relay = fc.record({ hops: fc.nat(255), link: anyAddress, peer: anyAddress, options: anyOptions });
  const arbitrary = fc.record({
    type: fc.integer({ min: 0, max: 255 }).filter((type) => type !== 12 && type !== 13),
    xid: fc.nat(0xffffff),
    options: anyOptions,
    relays: fc.array(relay, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ relays, ...message }) => {
      const packet: Packet6 = { message, relays, relayType: relays.length > 0 ? 12 : undefined };
      const again = decoded(encoded(packet));
      const plain = (value: Packet6) =>
        JSON.stringify(value, (_, each) =>
          typeof each === "bigint" ? String(each) : each instanceof Uint8Array ? [...each] : each,
        );
      assert.equal(plain(again), plain(packet));
    }),
    { numRuns: 300 },
  );
});

test("relays nested beyond the bound are refused, and cost no stack", () => {
  const nest = (depth: number): Uint8Array => {
    let inner: Uint8Array = hex(SOLICIT);
    for (let i = 0; i < depth; i++) {
      const outer = new Uint8Array(38 + inner.length);
      outer[0] = 12;
      outer.set([0, 9, inner.length >> 8, inner.length & 255], 34);
      outer.set(inner, 38);
      inner = outer;
    }
    return inner;
  };
  assert.equal(decoded(nest(MAX_RELAYS)).relays.length, MAX_RELAYS);
  assert.deepEqual(decodePacket(nest(MAX_RELAYS + 1)), { malformed: `more than ${MAX_RELAYS} relays` });
  assert.ok("malformed" in decodePacket(nest(1600)));
});

test("a relayed message that is cut short is malformed, wherever it is cut", () => {
  for (const text of [SOLICIT, REPLY, RELAYED]) {
    const whole = hex(text);
    for (let length = 0; length < whole.length; length++) {
      const packet = decodePacket(whole.subarray(0, length));
      const isWhole = !("malformed" in packet);
      // A message of a client's own has fewer options then.
      if (isWhole) assert.equal(packet.relays.length, 0);
    }
  }
});

const DHCPCD_RENEW = `
  0563c2e00001000e00010001328e488b0200000000040002001200049b5a8b8059de44f4a7d42f8363162ff0000300280000
  0001000000000000000000050018fd770000000000000a0c2e6905b89d28000007d0000017700019002d0000000200000000
  00000000001a0019000007d00000177038fd770001000099000000000000000000004300000006000a001400170052005300
  430008000200000010003800009f0800326468637063642d392e342e313a4c696e75782d362e31382e34342d66632d763434
  353a616172636836343a4141726368363400140000aa000010c5ffd9aaaa000070c5ffd9aaaa0000d0c6ffd9aaaa000010c7
  ff
`;

test("what stands after the last whole option of a message is passed over, as dhcpcd sends it", () => {
  for (const rest of ["00a0", "00a00001", "00030028000000"])
    assert.deepEqual(decoded(hex(`${SOLICIT} ${rest}`)).message, decoded(hex(SOLICIT)).message);
  // What dhcpcd 9.4.1 sent when it was told to renew.
  const { type, options } = decoded(hex(DHCPCD_RENEW)).message;
  const ours = [1, 2, 3, 25, 6, 8, 16, 20];
  assert.deepEqual([type, options.map(({ code }) => code).slice(0, ours.length)], [5, ours]);
});

test("mutated packets never throw, and what reads is written again", () => {
  const seeds = [SOLICIT, REPLY, RELAYED].map(hex);
  for (const bytes of mutatedPackets(seeds, 20_000, 6)) {
    const packet = decodePacket(bytes);
    if ("malformed" in packet) continue;
    describePacket(packet);
    for (const { code, value } of packet.message.options) if (code === 3 || code === 25) readIa(code, value);
    assert.deepEqual(decoded(encoded(packet)), packet);
  }
});

test("options that do not fit are left out and told; those before them stay", () => {
  const packet = decoded(hex(REPLY));
  const out = new Uint8Array(200);
  const { length, left } = encodePacket(packet, out, 40);
  assert.deepEqual(left, [3]);
  assert.equal(decoded(out.subarray(0, length)).message.options.length, 2);
});

test("every option of the table has a name of its own", () => {
  assert.equal(OPTION6_CODES.size, Object.keys(OPTIONS6).length);
});

test("domain names are never compressed (RFC 9915 section 10)", () => {
  const value = hex("036f6e65076578616d706c6500 0374776f076578616d706c6500");
  assert.deepEqual(names6.write(["one.example", "two.example"]), value);
  assert.deepEqual(names6.read(value), ["one.example", "two.example"]);
  for (const wrong of ["c000", "0361", "036f6e65"]) assert.throws(() => names6.read(hex(wrong)), Unfit);
});

test("each NTP server is a sub-option (RFC 5908 section 4.1)", () => {
  const value = hex("00010010fd770000000000000000000000000001");
  assert.deepEqual(ntpServers.write(["fd77::1"]), value);
  assert.deepEqual(ntpServers.read(value), ["fd77::1"]);
});
