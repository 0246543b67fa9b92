import assert from "node:assert/strict";
import { test } from "node:test";
import { ipv6Bytes, parseIpv6, u32Bytes } from "@frontdesk/lease-options/address";
import { dhcidOf, ownerOf, ownerOfDuid } from "../src/ddns/dhcid.ts";
import { decodeReply, encodeUpdate, prerequisite } from "../src/ddns/dns-message.ts";
import { canonicalName, hostLabel, reverseName } from "../src/ddns/domain-name.ts";
import { createNameUpdates } from "../src/ddns/name-updates.ts";
import { createUpdateExchange, type DnsServer } from "../src/ddns/update-exchange.ts";
import { reversePlace, type Zone } from "../src/ddns/zones.ts";
import { startBind } from "./bind.ts";
import { CLASSLESS, FORWARD, FROZEN, REVERSE, REVERSE6 } from "./dns-server.ts";
import { startKnot } from "./knot.ts";

const A = u32Bytes(0x0a4d0109);
const B = u32Bytes(0x0a4d010a);
const TTL = 300;
const MAC = Uint8Array.of(2, 0, 0, 0, 0, 1);
const owned = (name: string, last = 1) => ({
  name,
  dhcid: dhcidOf(
    ownerOf({ htype: 1, mac: Uint8Array.of(...MAC.subarray(0, 5), last), clientId: null }),
    name,
  ),
});
const zonesOf = (server: DnsServer): Zone[] => [
  ...[FORWARD, REVERSE, REVERSE6].map((name) => ({ name, server })),
  { name: CLASSLESS, server, network: { address: 0xc0000240, mask: 0xffffffc0 } },
];
const updates = (now = () => Date.now()) => createNameUpdates(createUpdateExchange({ now }));

const GONE = { kind: "done", isGone: true };

test("RFC 4701 section 3.6: the examples of DHCID come out as they are printed there", () => {
  const byDuid = dhcidOf(
    ownerOfDuid(Uint8Array.from([0, 1, 0, 6, 0x41, 0x2d, 0xf1, 0x66, 1, 2, 3, 4, 5, 6])),
    "chi6.example.com",
  );
  assert.equal(Buffer.from(byDuid).toString("base64"), "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=");
  const byClientId = dhcidOf(
    ownerOf({ htype: 1, mac: MAC, clientId: Uint8Array.from([1, 7, 8, 9, 0xa, 0xb, 0xc]) }),
    "chi.example.com",
  );
  assert.equal(
    Buffer.from(byClientId).toString("base64"),
    "AAEBOSD+XR3Os/0LozeXVqcNc7FwCfQdWL3b/NaiUDlW2No=",
  );
  const byHardware = dhcidOf(
    ownerOf({ htype: 1, mac: Uint8Array.from([1, 2, 3, 4, 5, 6]), clientId: null }),
    "client.example.com",
  );
  assert.equal(
    Buffer.from(byHardware).toString("base64"),
    "AAABxLmlskllE0MVjd57zHcWmEH3pCQ6VytcKD//7es/deY=",
  );
});

test("names: what a client calls itself becomes a label; the reverse tree, RFC 2317 included", () => {
  for (const [said, label] of [
    ["Anna's iPhone", "anna-s-iphone"],
    ["käse", "kase"],
    ["--x--", "x"],
    ["日本", undefined],
    ["a".repeat(80), "a".repeat(63)],
    ["under_score.local", "under-score-local"],
  ] as const)
    assert.equal(hostLabel(said), label, said);
  assert.equal(canonicalName("Host.Example."), "host.example");
  assert.equal(canonicalName("a..b"), undefined);
  assert.equal(canonicalName(`${"x".repeat(64)}.example`), undefined);
  assert.equal(reverseName(A), "9.1.77.10.in-addr.arpa");
  const v6 = ipv6Bytes(parseIpv6("fd77:1::9") ?? 0n);
  assert.equal(reverseName(v6), "9.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.7.7.d.f.ip6.arpa");
  const server = { host: "127.0.0.1", port: 53, key: undefined };
  assert.equal(reversePlace(zonesOf(server), u32Bytes(0xc0000249))?.name, `73.${CLASSLESS}`);
  assert.equal(reversePlace(zonesOf(server), u32Bytes(0xc0000201)), undefined);
});

test("RFC 2136: the octets of an update", () => {
  const update = {
    zone: "a.example",
    prerequisites: [prerequisite.nameIsAbsent("b.a.example")],
    changes: [],
  };
  assert.equal(
    Buffer.from(encodeUpdate(0x1234, update)).toString("hex"),
    `${"1234" + "2800" + "0001" + "0001" + "0000" + "0000"}016107${Buffer.from("example").toString("hex")}0000060001` +
      `0162016107${Buffer.from("example").toString("hex")}0000ff00fe000000000000`,
  );
  assert.equal(decodeReply(encodeUpdate(1, update), 1), undefined, "a question is no reply");
  for (let length = 0; length < 60; length++)
    assert.doesNotThrow(() =>
      decodeReply(Buffer.alloc(length, length % 2 ? 0xff : 0xa8), length % 2 ? 0xffff : 0xa8a8),
    );
});

for (const [called, start, refusal] of [
  ["BIND", startBind, "REFUSED"],
  // To Knot, a key that may not do something is a wrong key.
  ["Knot", startKnot, "BADKEY"],
] as const)
  test(`${called}: names, addresses and whose they are, kept and removed`, async (t) => {
    const dns = await start(t);
    if (!dns) return;
    const { server, ask } = dns;
    const zones = zonesOf(server);
    const { addForward, owns, removeForward, addReverse, removeReverse } = updates();
    const anna = owned(`anna.${FORWARD}`);

    await t.test("a name that is free is the client's, with A, DHCID and PTR", async () => {
      assert.deepEqual(await addForward(zones, anna, A, TTL), { kind: "done" });
      assert.deepEqual(await addReverse(zones, anna.name, A, TTL), { kind: "done" });
      assert.deepEqual(ask(anna.name, "A"), ["10.77.1.9"]);
      assert.equal(
        ask(anna.name, "DHCID").join("").replaceAll(" ", ""),
        Buffer.from(anna.dhcid).toString("base64"),
      );
      assert.deepEqual(ask("9.1.77.10.in-addr.arpa", "PTR"), [`${anna.name}.`]);
    });

    await t.test("another client that wants it gets a conflict, and changes nothing", async () => {
      assert.deepEqual(await addForward(zones, owned(anna.name, 2), B, TTL), { kind: "conflict" });
      assert.deepEqual(await removeForward(zones, owned(anna.name, 2), A), GONE);
      assert.deepEqual(ask(anna.name, "A"), ["10.77.1.9"]);
    });

    await t.test("whose a name is can be asked without a change", async () => {
      assert.deepEqual(await owns(zones, anna), { kind: "done" });
      for (const other of [owned(anna.name, 2), owned(`byhand.${FORWARD}`), owned(`nobody.${FORWARD}`)])
        assert.deepEqual(await owns(zones, other), { kind: "conflict" });
      assert.deepEqual(ask(anna.name, "A"), ["10.77.1.9"]);
      assert.deepEqual(ask(`nobody.${FORWARD}`, "DHCID"), []);
    });

    await t.test("a record made by hand is nobody's of ours, and stays", async () => {
      const byHand = owned(`byhand.${FORWARD}`);
      assert.deepEqual(await addForward(zones, byHand, A, TTL), { kind: "conflict" });
      assert.deepEqual(await removeForward(zones, byHand, u32Bytes(0x0a4d0909)), GONE);
      assert.deepEqual(ask(byHand.name, "A"), ["10.77.9.9"]);
    });

    await t.test(
      "a client that moves: the A is replaced in one update, and removing the old one then changes nothing",
      async () => {
        assert.deepEqual(await addForward(zones, anna, B, TTL, [A]), { kind: "done" });
        assert.deepEqual(ask(anna.name, "A"), ["10.77.1.10"]);
        assert.deepEqual(await removeForward(zones, anna, A), { kind: "done" });
        assert.deepEqual(ask(anna.name, "A"), ["10.77.1.10"]);
        assert.deepEqual(await removeReverse(zones, anna.name, A), { kind: "done" });
        assert.deepEqual(ask("9.1.77.10.in-addr.arpa", "PTR"), []);
      },
    );

    await t.test("a client with two addresses of a family has both, and each goes alone", async () => {
      assert.deepEqual(await addForward(zones, anna, A, TTL), { kind: "done" });
      assert.deepEqual(ask(anna.name, "A"), ["10.77.1.10", "10.77.1.9"]);
      assert.deepEqual(await removeForward(zones, anna, A), { kind: "done" });
      assert.deepEqual(ask(anna.name, "A"), ["10.77.1.10"]);
    });

    await t.test("dual stack: one owner has both; the name goes with the last address", async () => {
      const v6 = ipv6Bytes(parseIpv6("fd77:1::9") ?? 0n);
      assert.deepEqual(await addForward(zones, anna, v6, TTL), { kind: "done" });
      assert.deepEqual(await addReverse(zones, anna.name, v6, TTL), { kind: "done" });
      assert.deepEqual([ask(anna.name, "A"), ask(anna.name, "AAAA")], [["10.77.1.10"], ["fd77:1::9"]]);
      assert.deepEqual(ask(reverseName(v6), "PTR"), [`${anna.name}.`]);
      assert.deepEqual(await removeForward(zones, anna, B), { kind: "done" });
      assert.equal(ask(anna.name, "DHCID").length, 1);
      assert.deepEqual(await removeForward(zones, anna, v6), { kind: "done" });
      assert.deepEqual([ask(anna.name, "DHCID"), ask(anna.name, "ANY")], [[], []]);
    });

    await t.test("a PTR that is another's by now stays", async () => {
      assert.deepEqual(await addReverse(zones, `new.${FORWARD}`, A, TTL), { kind: "done" });
      assert.deepEqual(await removeReverse(zones, anna.name, A), { kind: "done" });
      assert.deepEqual(ask("9.1.77.10.in-addr.arpa", "PTR"), [`new.${FORWARD}.`]);
    });

    await t.test("a PTR that may say one of several names is removed by the one that it says", async () => {
      const others = [`new-2.${FORWARD}`, `new.${FORWARD}`];
      assert.deepEqual(await removeReverse(zones, anna.name, A, others), { kind: "done" });
      assert.deepEqual(ask("9.1.77.10.in-addr.arpa", "PTR"), []);
    });

    await t.test("a reverse zone that is not cut at an octet (RFC 2317)", async () => {
      assert.deepEqual(await addReverse(zones, anna.name, u32Bytes(0xc0000249), TTL), { kind: "done" });
      assert.deepEqual(ask(`73.${CLASSLESS}`, "PTR"), [`${anna.name}.`]);
    });

    await t.test("no zone, a zone that refuses, a key that is not known, one that is wrong", async () => {
      assert.deepEqual(await addForward(zones, owned("x.elsewhere.example"), A, TTL), { kind: "no-zone" });
      const frozen = [{ name: FROZEN, server }];
      assert.deepEqual(await addForward(frozen, owned(`x.${FROZEN}`), A, TTL), {
        kind: "parked",
        error: refusal,
      });
      const key = server.key ?? assert.fail();
      const unknown = zonesOf({ ...server, key: { ...key, name: "another" } });
      assert.deepEqual(await addForward(unknown, anna, A, TTL), { kind: "parked", error: "BADKEY" });
      const wrong = zonesOf({ ...server, key: { ...key, secret: Buffer.alloc(32) } });
      assert.deepEqual(await addForward(wrong, anna, A, TTL), { kind: "parked", error: "BADSIG" });
      assert.deepEqual(ask(anna.name, "ANY"), []);
    });

    await t.test("a clock that differs by hours: told, signed anew, done", async () => {
      const skews: number[] = [];
      const exchange = createUpdateExchange({
        now: () => Date.now() - 7_200_000,
        onSkew: (_server, seconds) => skews.push(seconds),
      });
      const late = createNameUpdates(exchange);
      assert.deepEqual(await late.addForward(zones, anna, A, TTL), { kind: "done" });
      assert.equal(skews.length, 1);
      assert.ok(Math.abs((skews[0] ?? 0) - 7200) < 5);
      assert.deepEqual(await late.removeForward(zones, anna, A), { kind: "done" });
      assert.equal(skews.length, 1, "known from then on");
    });

    await t.test("a server that is away is for later", async () => {
      await dns.stop();
      const { kind } = await updates().addForward(zones, anna, A, TTL);
      assert.equal(kind, "later");
      await dns.start();
      assert.deepEqual(await updates().addForward(zones, anna, A, TTL), { kind: "done" });
    });
  });

test("BIND: hmac-sha512", async (t) => {
  const bind = await startBind(t, { tsig: "hmac-sha512" });
  if (!bind) return;
  const name = `long.${FORWARD}`;
  assert.deepEqual(await updates().addForward(zonesOf(bind.server), owned(name), A, TTL), { kind: "done" });
  assert.deepEqual(bind.ask(name, "A"), ["10.77.1.9"]);
});
