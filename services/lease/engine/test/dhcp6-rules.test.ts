import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { textBytes } from "@frontdesk/lease-options/address";
import { STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { encodePacket } from "../src/dhcp6/message.ts";
import type { PendingLeases } from "../src/leases/pending-leases.ts";
import { Batch } from "../src/loop/batch.ts";
import {
  CLIENT,
  desk6,
  ip6,
  na,
  octets,
  packetOf6,
  pd,
  type Reply6,
  SERVER_ID,
  type Sent6,
  TOML6,
} from "./desk6.ts";
import { mutatedPackets } from "./mutated-packets.ts";

const OTHER = "00:03:00:01:02:00:00:00:00:02";
const option = (code: number, value: string | Uint8Array) => ({
  code,
  value: typeof value === "string" ? textBytes(value) : value,
});

/** The message without its relays, as octets. */
function encodedAlone({ packet }: Reply6): Uint8Array {
  const out = new Uint8Array(1500);
  return out.slice(0, encodePacket({ ...packet, relays: [], relayType: undefined }, out).length);
}

const refusals: ReadonlyArray<[rule: string, type: number, sent: Sent6, counter: string]> = [
  ["SOLICIT without a client (section 16.2)", TYPE6.solicit, { duid: null }, "no_identity"],
  ["SOLICIT that names a server (section 16.2)", TYPE6.solicit, { server: SERVER_ID }, "server_named"],
  ["REQUEST without a server (section 16.4)", TYPE6.request, { server: null }, "no_server_named"],
  [
    "REQUEST to another server (section 16.4)",
    TYPE6.request,
    { server: octets("00:04:09") },
    "other_server_chosen",
  ],
  ["CONFIRM that names a server (section 16.5)", TYPE6.confirm, { server: SERVER_ID }, "server_named"],
  [
    "RENEW to another server (section 16.6)",
    TYPE6.renew,
    { server: octets("00:04:09") },
    "other_server_chosen",
  ],
  ["REBIND that names a server (section 16.7)", TYPE6.rebind, { server: SERVER_ID }, "server_named"],
  ["DECLINE without a server (section 16.8)", TYPE6.decline, { server: null }, "no_server_named"],
  ["RELEASE without a client (section 16.9)", TYPE6.release, { duid: null }, "no_identity"],
  ["ADVERTISE (section 16.3)", TYPE6.advertise, {}, "unanswered_type"],
  ["REPLY (section 16.10)", TYPE6.reply, {}, "unanswered_type"],
  ["RECONFIGURE (section 16.11)", TYPE6.reconfigure, {}, "unanswered_type"],
  ["a message of no known type", 99, {}, "unanswered_type"],
  [
    "INFORMATION-REQUEST with an IA (section 16.12)",
    TYPE6.informationRequest,
    { ias: [na()] },
    "addresses_in_information_request",
  ],
  [
    "INFORMATION-REQUEST to another server (section 16.12)",
    TYPE6.informationRequest,
    { ias: [], server: octets("00:04:09") },
    "other_server_chosen",
  ],
  ["a DUID that is too short (section 11.1)", TYPE6.solicit, { duid: "00:01" }, "bad_identity"],
  ["a message to the server's own address", TYPE6.solicit, { from: { unicast: true } }, "sent_to_one"],
  ["a link that no subnet is on", TYPE6.solicit, { relays: [{ link: ip6("fd99::1") }] }, "no_subnet"],
];
for (const [rule, type, sent, counter] of refusals) {
  test(`RFC 9915: no answer to ${rule}`, () => {
    const { send, counters, store } = desk6();
    assert.equal(send(type, sent), undefined);
    assert.equal(counters.get(`drop6_${counter}`), 1);
    assert.equal(store.leases6.size, 0);
  });
}

test("CONFIRM tells only whether addresses are of the link (RFC 9915 section 18.3.3)", () => {
  const { confirm, counters, store } = desk6();
  assert.equal(confirm({ ias: [na(1, "fd77::5"), na(2, "fd77::6")] })?.status, STATUS6.success);
  assert.equal(confirm({ ias: [na(1, "fd77::5", "fd99::6")] })?.status, STATUS6.notOnLink);
  const reply = confirm({ ias: [na(1, "fd77::5")] });
  assert.deepEqual([reply?.type, reply?.ias.length], ["REPLY", 0]);
  assert.equal(confirm({ ias: [na(1)] }), undefined, "with nothing to judge it is silent");
  assert.equal(confirm({ ias: [na(1, "fd77::5")], relays: [{ link: ip6("fd99::1") }] }), undefined);
  assert.equal(counters.get("drop6_nothing_to_confirm"), 1);
  assert.equal(store.leases6.size, 0);
});

const OPTIONS = `
[dhcpv6]
options = { dns_servers = ["fd77::53"], domain_search = ["top.example"] }
[[subnet]]
network = "fd77::/64"
interface = "eth0"
options = { domain_search = ["sub.example"], 4242 = "0x0102" }
  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff"
  options = { ntp_servers = ["fd77::123"] }
`;

test("a client gets the options it asks for, in its order, from the innermost level that has them (RFC 9915 section 18.3)", () => {
  const { request, inform } = desk6(OPTIONS);
  const reply = request({ ask: [4242, 24, 23, 56, 99] });
  const asked = reply?.packet.message.options.map(({ code }) => code).filter((code) => code > 3);
  assert.deepEqual(asked, [4242, 24, 23, 56]);
  assert.deepEqual(reply?.options.domain_search, ["sub.example"]);
  assert.deepEqual(reply?.options.ntp_servers, ["fd77::123"]);
  assert.equal(request()?.options.dns_servers, undefined, "what is not asked for is not sent");
  assert.deepEqual(inform({ ask: [23] })?.options.dns_servers, ["fd77::53"]);
});

test("INFORMATION-REQUEST needs no client and makes no lease (RFC 9915 section 18.3.6)", () => {
  const { inform, store } = desk6(OPTIONS);
  const reply = inform({ duid: null, ask: [23] });
  assert.deepEqual(Object.keys(reply?.options ?? {}), ["server_id", "dns_servers"]);
  assert.equal(inform()?.options.client_id, CLIENT);
  assert.equal(store.leases6.size, 0);
});

test("a stateless subnet answers INFORMATION-REQUEST alone, and slows its clients down (RFC 7083 section 4)", () => {
  const { solicit, request, inform, counters } = desk6(
    `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\noptions = { dns_servers = ["fd77::53"] }\n`,
  );
  assert.equal(solicit(), undefined);
  assert.equal(request(), undefined);
  assert.equal(counters.get("drop6_stateless"), 2);
  const reply = inform({ ask: [23, 82, 83] });
  assert.deepEqual(reply?.options.dns_servers, ["fd77::53"]);
  assert.deepEqual([reply?.options.sol_max_rt, reply?.options.inf_max_rt], [86_400, 86_400]);
});

test("the server's preference stands in ADVERTISE alone (RFC 9915 section 21.8)", () => {
  const { solicit, request } = desk6(TOML6.replace("[dhcpv6]", "[dhcpv6]\npreference = 200"));
  assert.equal(solicit()?.options.preference, 200);
  assert.equal(request()?.options.preference, undefined);
  assert.equal(desk6().solicit()?.options.preference, undefined);
});

test("a name is kept, and the client is told that nobody writes it into DNS (RFC 4704 section 4.1)", () => {
  const { request, store } = desk6();
  const fqdn = Uint8Array.of(1, 4, ...textBytes("door"), 0);
  const reply = request({ options: [option(39, fqdn)] });
  assert.equal([...store.leases6.values()][0]?.hostname, "door");
  assert.equal(reply?.options.client_fqdn, "06:04:64:6f:6f:72:00");
});

const RELAYS = `
[[subnet]]
network = "fd77::/64"
interface_ids = ["vlan 77"]
  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff"
[[subnet]]
network = "fd78::/64"
relays = ["fd00::78"]
  [[subnet.pool]]
  range = "fd78::1000 - fd78::ffff"
  [[subnet.reservation]]
  ip = "fd78::5"
  interface_id = "port 5"
  [[subnet.reservation]]
  ip = "fd78::6"
  remote_id = "six"
  [[subnet.reservation]]
  ip = "fd78::7"
  mac = "02:00:00:00:00:07"
  [[subnet.reservation]]
  ip = "fd78::8"
  prefix = "fd78:8::/48"
  duid = "00:01:08"
`;
const given = (reply: ReturnType<ReturnType<typeof desk6>["request"]>) => reply?.leases[0]?.[1];

test("the relay next to the client says the link; one that names none is skipped (RFC 9915 section 13.1, RFC 6221 section 5)", () => {
  const { request } = desk6(RELAYS);
  const from = { sourceAddress: ip6("fd00::1"), unicast: true };
  const on = (...links: string[]) =>
    given(request({ from, relays: links.map((link) => ({ link: ip6(link) })) }));
  assert.match(on("fd77::1") ?? "", /^fd77::/);
  assert.match(on("fd77::1", "fd78::1") ?? "", /^fd78::/);
  assert.match(on("fd78::1", "::") ?? "", /^fd78::/);
  assert.match(on("fd00::78") ?? "", /^fd78::/, "a relay that is named for a subnet");
  assert.equal(on("fd99::1"), undefined);
});

test("a link-address of the link itself is mapped by the Interface-Id", () => {
  const { request } = desk6(RELAYS);
  const hop = { link: ip6("fe80::1"), options: [option(18, "vlan 77")] };
  assert.match(given(request({ relays: [hop] })) ?? "", /^fd77::/);
  assert.match(given(request({ relays: [{ ...hop, link: 0n }] })) ?? "", /^fd77::/);
  assert.equal(request({ relays: [{ link: ip6("fe80::1"), options: [option(18, "vlan 99")] }] }), undefined);
});

test("the reply passes the same relays in the same order, with what each asks for back (RFC 9915 section 19.3, RFC 4649, RFC 4994)", () => {
  const { request } = desk6(RELAYS);
  const relays = [
    { hops: 1, link: 0n, peer: ip6("fd00::2"), options: [option(18, "outer")] },
    {
      link: ip6("fd78::1"),
      peer: ip6("fe80::50"),
      options: [
        option(37, "0000six"),
        option(43, octets("00:64")),
        option(100, "echo"),
        option(38, "no echo"),
      ],
    },
  ];
  const reply = request({ relays, from: { sourceAddress: ip6("fd00::1"), sourcePort: 1234, unicast: true } });
  assert.equal(reply?.to, "[fd00::1]:547");
  assert.equal(reply?.packet.relayType, TYPE6.relayReply);
  assert.deepEqual(
    reply?.packet.relays.map(({ hops, link, peer, options }) => [
      hops,
      link,
      peer,
      options.map(({ code }) => code),
    ]),
    [
      [1, 0n, ip6("fd00::2"), [18]],
      [0, ip6("fd78::1"), ip6("fe80::50"), [37, 100]],
    ],
  );
});

test("a relay that says so gets its reply on the port it sent from (RFC 8357 section 5)", () => {
  const { request } = desk6(RELAYS);
  const relays = [{ link: ip6("fd78::1"), options: [option(135, octets("00:00"))] }];
  const reply = request({ relays, from: { sourceAddress: ip6("fd00::1"), sourcePort: 1234, unicast: true } });
  assert.equal(reply?.to, "[fd00::1]:1234");
  assert.deepEqual(
    reply?.packet.relays[0]?.options.map(({ code }) => code),
    [135],
  );
});

test("only relays on the list are believed, where there is one", () => {
  const { request, counters } = desk6(`[dhcpv6]\nrelays = ["fd00::1"]\n${RELAYS}`);
  const relays = [{ link: ip6("fd78::1") }];
  assert.equal(request({ relays, from: { sourceAddress: ip6("fd00::2"), unicast: true } }), undefined);
  assert.equal(counters.get("drop6_untrusted_relay"), 1);
  assert.ok(request({ relays, from: { sourceAddress: ip6("fd00::1"), unicast: true } }));
});

test("reservations are found by Interface-Id, Remote-Id, hardware address and DUID (RFC 9915 section 21.18, RFC 4649, RFC 6939)", () => {
  const { request } = desk6(RELAYS);
  const by = (...options: Array<ReturnType<typeof option>>) =>
    given(request({ relays: [{ link: ip6("fd78::1"), options }] }));
  assert.equal(by(option(18, "port 5")), "fd78::5");
  assert.equal(by(option(37, Uint8Array.of(0, 0, 0, 9, ...textBytes("six")))), "fd78::6");
  assert.equal(by(option(79, octets("00:01:02:00:00:00:00:07"))), "fd78::7");
  const both = request({ duid: "00:01:08", ias: [na(), pd()], relays: [{ link: ip6("fd78::1") }] });
  assert.deepEqual(
    both?.leases.map(([, lease]) => lease),
    ["fd78::8", "fd78:8::/48"],
  );
});

test("a reserved address goes to the first IA that asks; another device on the port takes it over", () => {
  const { request, renew, store } = desk6(RELAYS);
  const relays = [{ link: ip6("fd78::1"), options: [option(18, "port 5")] }];
  const reply = request({ relays, ias: [na(1), na(2)] });
  assert.equal(reply?.leases[0]?.[1], "fd78::5");
  assert.notEqual(reply?.leases[1]?.[1], "fd78::5");
  assert.equal(given(request({ duid: OTHER, relays })), "fd78::5");
  assert.deepEqual([...(store.find6(ip6("fd78::5"))?.duid ?? [])], [...octets(OTHER)]);
  const before = renew({ relays, ias: [na(1, "fd78::5")] });
  assert.deepEqual(
    before?.ias[0]?.status?.code,
    STATUS6.noBinding,
    "who had it before does not take it back by RENEW",
  );
  assert.equal(given(renew({ duid: OTHER, relays, ias: [na(1, "fd78::5")] })), "fd78::5");
});

test("of two devices that one address is reserved for the later has another while the first is there (DHCPv6)", () => {
  const toml = `[dhcpv6]\npreferred_time = 1800\nvalid_time = 3600\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::1000 - fd77::2000"\n[[subnet.reservation]]\nip = "fd77::50"\nduid = ["00:01:0a", "00:01:0b"]\n`;
  const [a, b] = ["00:01:0a", "00:01:0b"];
  const { request, renew, pass } = desk6(toml);
  assert.equal(given(request({ duid: a })), "fd77::50");
  const other = given(request({ duid: b })) ?? "";
  assert.notEqual(other, "fd77::50");
  for (let times = 0; times < 10; times++) {
    pass(900);
    assert.equal(given(renew({ duid: a, ias: [na(1, "fd77::50")] })), "fd77::50");
    assert.equal(given(request({ duid: b })), other);
  }
  pass(2701);
  assert.equal(given(request({ duid: b })), "fd77::50", "the first has not renewed");
});

test("classes match options and fields of DHCPv6, and open pools (option6, duid)", () => {
  const toml = `[[class]]\nname = "cpe"\nmatch = 'option6[vendor_class] contains "cpe" or duid starts_with "00:01:09"'\noptions6 = { dns_servers = ["fd77::9"] }\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "eth0"\n[[subnet.pool]]\nrange = "fd77::9 - fd77::9"\nclasses = ["cpe"]\n[[subnet.pool]]\nrange = "fd77::1000 - fd77::1000"\n`;
  const { request } = desk6(toml);
  assert.equal(given(request()), "fd77::1000");
  const vendor = Uint8Array.of(0, 0, 0, 9, 0, 3, ...textBytes("cpe"));
  const reply = request({ duid: OTHER, options: [option(16, vendor)], ask: [23] });
  assert.equal(given(reply), "fd77::9");
  assert.deepEqual(reply?.options.dns_servers, ["fd77::9"]);
});

test("a client registers an address that it made itself, and the history tells (RFC 9686 section 4)", () => {
  const toml = TOML6.replace("[dhcpv6]", "[dhcpv6]\naddress_registration = true");
  const { send, store, counters, request } = desk6(toml);
  const address = Uint8Array.of(...octets(`fd77${"0".repeat(24)}abcd`), 0, 0, 0, 100, 0, 0, 0, 200);
  const sent = { ias: [], options: [option(5, address)] };
  const reply = send(TYPE6.addrRegInform, { ...sent, from: { sourceAddress: ip6("fd77::abcd") } });
  assert.deepEqual([reply?.type, reply?.to], ["ADDR-REG-REPLY", "[fd77::abcd]:546"]);
  assert.deepEqual(reply?.packet.message.options.at(-1), option(5, address));
  assert.deepEqual(
    store.events.map(({ type, reason, v6 }) => [type, reason, v6?.address]),
    [["grant", "registered", ip6("fd77::abcd")]],
  );
  assert.equal(store.leases6.size, 0);
  assert.equal(send(TYPE6.addrRegInform, sent), undefined, "from another address it is not believed");
  assert.equal(counters.get("drop6_foreign_address"), 1);
  const far = Uint8Array.of(...octets(`fd99${"0".repeat(24)}0001`), ...new Uint8Array(8));
  const from = { sourceAddress: ip6("fd99::1") };
  assert.equal(send(TYPE6.addrRegInform, { ias: [], options: [option(5, far)], from }), undefined);
  assert.equal(send(TYPE6.addrRegInform, { ias: [] }), undefined);
  assert.equal(request({ ask: [148] })?.options.address_registration, true);
  const off = desk6();
  assert.equal(
    off.send(TYPE6.addrRegInform, { ...sent, from: { sourceAddress: ip6("fd77::abcd") } }),
    undefined,
  );
  assert.equal(off.counters.get("drop6_registration_off"), 1);
});

test("a client gets its key once, is told to renew until it does, and is then left alone (RFC 9915 section 18.4, 20.4)", () => {
  const { request, renew, dhcp6, pass, taken, counters } = desk6();
  const options = [option(20, "")];
  const reply = request({ options });
  const auth = reply?.packet.message.options.find(({ code }) => code === 11)?.value as Uint8Array;
  assert.deepEqual([...auth.subarray(0, 3), auth[11], auth.length], [3, 1, 0, 1, 28]);
  const key = auth.subarray(12);
  const address = given(reply) ?? "";
  const ias = [na(1, address)];
  assert.ok(!renew({ options, ias })?.packet.message.options.some(({ code }) => code === 11), "not again");
  assert.equal(dhcp6.reconfigure(ip6(address)), "sent");
  pass(1);
  const [told] = taken();
  assert.deepEqual([told?.type, told?.to, told?.packet.message.xid], ["RECONFIGURE", "[fe80::1]:546", 0]);
  assert.equal(told?.options.reconfigure_message, TYPE6.renew);
  const signed = encodedAlone(told as NonNullable<typeof told>);
  const digest = signed.slice(-16);
  signed.fill(0, signed.length - 16);
  assert.deepEqual(createHmac("md5", key).update(signed).digest(), Buffer.from(digest));
  pass(3);
  assert.equal(taken().length, 1, "it did not answer, and is told again");
  renew({ options, ias });
  pass(600);
  assert.deepEqual(taken(), []);
  assert.equal(dhcp6.reconfigure(ip6(address)), "sent");
  for (let i = 0; i < 2000; i++) pass(1);
  assert.equal(counters.get("sent6_reconfigure"), 2 + 9, "nine times, and it is given up");
});

test("a RECONFIGURE that was not sent, because what ends with it could not be written, is no try", () => {
  const { request, join, dhcp6, pass, taken, counters, store } = desk6();
  join({ duid: OTHER });
  pass(1500);
  const address = given(request({ options: [option(20, "")] })) ?? "";
  pass(500);
  dhcp6.reconfigure(ip6(address));
  store.broken = true;
  pass(1);
  assert.deepEqual(taken(), []);
  store.broken = false;
  pass(1);
  assert.deepEqual([taken().length, counters.get("sent6_reconfigure")], [1, 1]);
});

test("a RECONFIGURE goes back through the relays that the client's message passed", () => {
  const { request, dhcp6, pass, taken } = desk6(RELAYS);
  const relays = [
    { hops: 1, link: 0n, peer: ip6("fd00::2"), options: [option(18, "outer")] },
    { link: ip6("fd78::1"), peer: ip6("fe80::50") },
  ];
  const from = { sourceAddress: ip6("fd00::1"), unicast: true };
  const address = given(request({ relays, from, options: [option(20, "")] })) ?? "";
  assert.equal(dhcp6.reconfigure(ip6(address)), "sent");
  pass(1);
  const [told] = taken();
  assert.equal(told?.to, "[fd00::1]:547");
  assert.deepEqual(
    told?.packet.relays.map(({ peer }) => peer),
    [ip6("fd00::2"), ip6("fe80::50")],
  );
});

test("a client that takes no RECONFIGURE is not told", () => {
  const { request, dhcp6 } = desk6();
  const address = given(request()) ?? "";
  assert.equal(dhcp6.reconfigure(ip6(address)), "no_nonce");
  assert.equal(dhcp6.reconfigure(ip6("fd77::5")), "no_lease");
});

test("explain decides as a packet is decided, and keeps nothing of it", () => {
  const { dhcp6, store } = desk6();
  const batch = () =>
    new Batch(undefined as unknown as PendingLeases<number, never>, store, {
      now: Date.now(),
      offset: 0,
      replay: 0,
    });
  const query = { duid: octets(CLIENT), mac: undefined, link: 0n };
  const told = dhcp6.explain({ ...query, prefix: false }, batch());
  assert.equal(told.outcome, "advertise");
  assert.match(told.reply?.ip ?? "", /^fd77::/);
  assert.ok(told.steps.some((step) => step.startsWith("Its network is fd77::/64, by the interface eth0")));
  assert.match(dhcp6.explain({ ...query, prefix: true }, batch()).reply?.ip ?? "", /\/56$/);
  const elsewhere = dhcp6.explain({ ...query, link: ip6("fd99::1"), prefix: false }, batch());
  assert.deepEqual([elsewhere.outcome, elsewhere.reply], ["no-subnet", undefined]);
  assert.equal([...dhcp6.leases.all()].length, 0);
});

test("explain shows the options of every level of the configuration", () => {
  const { dhcp6, store } = desk6(`[[class]]
name = "all"
match = 'interface == "eth0"'
options6 = { ntp_servers = ["fd77::7b"] }
[[subnet]]
network = "fd77::/64"
interface = "eth0"
[[subnet.pool]]
range = "fd77::1000 - fd77::1fff"
options = { dns_servers = ["fd77::53"] }
`);
  const batch = new Batch(undefined as unknown as PendingLeases<number, never>, store, {
    now: 0,
    offset: 0,
    replay: 0,
  });
  const told = dhcp6.explain({ duid: octets(CLIENT), mac: undefined, link: 0n, prefix: false }, batch);
  const names = Object.keys(told.reply?.options ?? {});
  assert.deepEqual(
    ["dns_servers", "ntp_servers"].filter((name) => !names.includes(name)),
    [],
    names.join(", "),
  );
});

test("mutated packets bring out no fault, and the leases stay as the disk has them", () => {
  const { engine, ingress, faults, store, dhcp6, counters } = desk6(RELAYS);
  const relays = [
    { link: ip6("fd78::1"), options: [option(18, "port 5"), option(79, octets("00:01:02:00:00:00:00:07"))] },
  ];
  const seeds = [1, 3, 4, 5, 6, 8, 9, 11].flatMap((type) =>
    [{}, { relays }, { relays: [{}, ...relays] }].map((more) =>
      packetOf6(type, {
        ...more,
        ...(type === 11 ? { ias: [] } : { ias: [na(1, "fd78::1000"), pd(2, "::/56")] }),
      }),
    ),
  );
  for (const bytes of mutatedPackets(seeds, 20_000, 66)) {
    engine.handle([{ family: 6, bytes, ingress }]);
  }
  assert.deepEqual(faults, []);
  assert.equal(counters.get("drop_fault"), 0);
  const held = [...dhcp6.leases.all()].filter(({ state }) => state !== 1).map(({ address }) => address);
  assert.deepEqual(
    new Set(held),
    new Set([...store.leases6.keys()].filter((key) => dhcp6.leases.find(key)?.state !== 1)),
  );
});
