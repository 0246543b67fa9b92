import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { configOf, desk, ip, MemoryStore, packetOf, relayOption, SERVER } from "./desk.ts";
import { mutatedPackets } from "./mutated-packets.ts";

const NET = `[[subnet]]\nnetwork = "10.77.0.0/16"\noptions = { routers = ["10.77.0.1"], domain_name_servers = ["10.77.0.2"] }\n`;
const POOL = `${NET}[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const TWO_NETS = `${POOL}[[subnet]]\nnetwork = "10.78.0.0/16"\n[[subnet.pool]]\nrange = "10.78.1.1 - 10.78.1.10"\n`;
const A = "02:00:00:00:00:0a";
const B = "02:00:00:00:00:0b";
const hexOctet = (n: number) => (n & 255).toString(16).padStart(2, "0");
const asks = (...codes: number[]): [number, Uint8Array] => [55, Uint8Array.from(codes)];

test("a DISCOVER is answered with an OFFER, and the REQUEST for it with an ACK (RFC 2131 section 3.1)", () => {
  const { discover, select, store } = desk(POOL);
  const offer = discover({ mac: A, options: [asks(3, 6, 1)] });
  assert.equal(offer?.type, "OFFER");
  assert.deepEqual(offer?.options, {
    message_type: 2,
    server_identifier: "10.77.0.1",
    lease_time: 3600,
    renewal_time: 1800,
    rebinding_time: 3150,
    subnet_mask: "255.255.0.0",
    routers: ["10.77.0.1"],
    domain_name_servers: ["10.77.0.2"],
  });
  assert.equal(store.leases.size, 0, "an offer is not a lease");
  const ack = select(offer?.ip ?? "", { mac: A });
  assert.deepEqual([ack?.type, ack?.ip], ["ACK", offer?.ip]);
  assert.equal(store.leases.get(ip(offer?.ip ?? ""))?.state, 2);
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["grant"],
  );
});

test("no ACK leaves when the lease could not be written, and one does when it can again", () => {
  const { discover, select, store, counters } = desk(POOL);
  const offer = discover({ mac: A });
  store.broken = true;
  assert.equal(select(offer?.ip ?? "", { mac: A }), undefined);
  assert.equal(counters.get("store_errors"), 1);
  assert.equal(store.leases.size, 0);
  store.broken = false;
  assert.equal(select(offer?.ip ?? "", { mac: A })?.type, "ACK");
  assert.equal(store.leases.size, 1);
});

test("options come in the order the client asks for them (RFC 2131 section 4.3.1)", () => {
  const { discover } = desk(POOL);
  const keys = (codes: number[]) =>
    [...(discover({ options: [asks(...codes)] })?.message.options.keys() ?? [])].filter(
      (c) => c === 3 || c === 6,
    );
  assert.deepEqual(keys([6, 3]), [6, 3]);
  assert.deepEqual(keys([3, 6]), [3, 6]);
});

test("the mask comes before the routers (RFC 2132 section 3.3)", () => {
  const codes = [
    ...(desk(POOL)
      .discover({ options: [asks(3, 1)] })
      ?.message.options.keys() ?? []),
  ];
  assert.ok(codes.indexOf(1) < codes.indexOf(3));
});

test("a client that asks for nothing gets everything configured (RFC 2131 section 4.3.1)", () => {
  const options = desk(POOL).discover()?.options;
  assert.ok(options && "routers" in options && "domain_name_servers" in options);
});

test("a returning client gets its old address, its requested one or its hash's (RFC 2131 section 4.3.1)", () => {
  const { join, pass, discover } = desk(POOL);
  const first = join(A);
  pass(4000);
  assert.equal(discover({ mac: A })?.ip, first, "its previous address");
  assert.equal(
    discover({ mac: B, options: [[50, "10.77.1.7"]] })?.ip,
    "10.77.1.7",
    "the address it asks for",
  );
});

test("the client identifier names a client, whatever its hardware address (RFC 2131 section 4.2)", () => {
  const { join } = desk(POOL);
  const id: [number, Uint8Array] = [61, Uint8Array.of(255, 1, 2, 3)];
  assert.equal(join(A, { options: [id] }), join(B, { options: [id] }));
  const byMac = desk(POOL.replace(/^/, `identity = "mac"\n`));
  assert.notEqual(byMac.join(A, { options: [id] }), byMac.join(B, { options: [id] }));
});

test("the client identifier comes back in every reply (RFC 6842 section 3)", () => {
  const { discover, reboot } = desk(POOL);
  const options: Array<[number, Uint8Array]> = [[61, Uint8Array.of(1, 9, 9)]];
  assert.equal(discover({ options })?.options.client_identifier, "01:09:09");
  assert.equal(reboot("10.99.0.1", { options })?.options.client_identifier, "01:09:09");
});

test("the lease time is what the client asks for, within the limits (RFC 2131 section 4.3.1)", () => {
  const { discover } = desk(`[lease]\nmin_time = 100\nmax_time = 1000\ndefault_time = 500\n${POOL}`);
  const time = (asked?: number) =>
    discover({ options: asked === undefined ? [] : [[51, asked]] })?.options.lease_time;
  assert.deepEqual([time(), time(1), time(700), time(0xffffffff)], [500, 100, 700, 1000]);
});

test("a REQUEST for another server's offer frees ours (RFC 2131 section 4.3.2)", () => {
  const { discover, send, dhcp4 } = desk(POOL);
  const offer = discover({ mac: A });
  assert.deepEqual(
    send(TYPE.request, {
      mac: A,
      options: [
        [50, "10.77.9.9"],
        [54, u32Bytes(ip("10.77.0.99"))],
      ],
    }),
    [],
  );
  assert.equal(dhcp4.leases.find(ip(offer?.ip ?? "")), undefined);
});

test("INIT-REBOOT: its own address is confirmed (RFC 2131 section 4.3.2)", () => {
  const { join, reboot } = desk(POOL);
  const address = join(A) ?? "";
  assert.deepEqual([reboot(address, { mac: A })?.type, reboot(address, { mac: A })?.ip], ["ACK", address]);
});

test("INIT-REBOOT: an address of another network is refused (RFC 2131 section 4.3.2)", () => {
  const { reboot, store } = desk(POOL);
  const nak = reboot("192.168.1.5", { mac: A });
  assert.deepEqual([nak?.type, nak?.to, nak?.ip], ["NAK", "255.255.255.255", "0.0.0.0"]);
  assert.equal(nak?.options.message, "on the wrong network");
  assert.equal(store.events[0]?.type, "nak");
});

test("INIT-REBOOT: a server that does not speak for the network stays silent about others' addresses", () => {
  assert.equal(desk(`authoritative = false\n${POOL}`).reboot("192.168.1.5"), undefined);
});

test("INIT-REBOOT: no record of the client, no answer (RFC 2131 section 4.3.2)", () => {
  assert.equal(desk(POOL).reboot("10.77.1.3"), undefined);
});

test("INIT-REBOOT: another address than its own is refused (RFC 2131 section 4.3.2)", () => {
  const { join, reboot } = desk(POOL);
  const own = join(A);
  const other = own === "10.77.1.3" ? "10.77.1.4" : "10.77.1.3";
  assert.equal(reboot(other, { mac: A })?.type, "NAK");
});

test("RENEWING: the lease is prolonged and its beginning stays (RFC 2131 section 4.3.2)", () => {
  const { join, renew, store, pass, clock } = desk(POOL);
  const address = join(A) ?? "";
  const before = store.leases.get(ip(address));
  pass(1800);
  const ack = renew(address, { mac: A });
  assert.deepEqual([ack?.type, ack?.to, ack?.port, ack?.hardware], ["ACK", address, 68, false]);
  const after = store.leases.get(ip(address));
  assert.equal(after?.starts, before?.starts);
  assert.equal(after?.until, clock.now() / 1000 + 3600);
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["grant"],
    "a renewal that says nothing new is counted with the lease",
  );
  assert.equal(after?.renewals, 1);
});

test("REBINDING: an address that another client holds is refused (RFC 2131 section 4.3.2)", () => {
  const { join, renew } = desk(POOL);
  const address = join(A) ?? "";
  assert.equal(renew(address, { mac: B })?.type, "NAK");
});

test("REBINDING: an address of our network that is not ours to give is left to the other server", () => {
  assert.equal(desk(POOL).renew("10.77.200.1", { mac: B }), undefined);
});

test("REBINDING: a lease whose record was lost is taken up again when its address is free", () => {
  assert.equal(desk(POOL).renew("10.77.1.4", { mac: B })?.type, "ACK");
});

test("a RELEASE frees the address at once and keeps it for its client (RFC 2131 section 4.3.4)", () => {
  const { join, release, store, dhcp4, discover } = desk(POOL);
  const address = join(A) ?? "";
  assert.deepEqual(release(address, { mac: B }), [], "not its own");
  assert.equal(dhcp4.leases.active, 1);
  release(address, { mac: A });
  assert.equal(dhcp4.leases.active, 0);
  assert.equal(store.leases.get(ip(address))?.state, 3);
  assert.equal(discover({ mac: A })?.ip, address);
});

test("a declined address is not offered again until its quarantine ends (RFC 2131 section 4.3.3)", () => {
  const one = `${NET}[[subnet.pool]]\nrange = "10.77.1.1"\n`;
  const { join, decline, discover, pass, store } = desk(`[lease]\ndecline_quarantine = 600\n${one}`);
  const address = join(A) ?? "";
  decline(address, { mac: A });
  assert.equal(discover({ mac: B }), undefined);
  assert.equal(discover({ mac: A }), undefined);
  pass(599);
  assert.equal(discover({ mac: B }), undefined);
  pass(2);
  assert.equal(discover({ mac: B })?.ip, address);
  assert.deepEqual(
    store.events.map(({ type }) => type),
    ["grant", "decline", "refusal", "refusal", "refusal"],
  );
});

test("a client cannot decline what it does not hold", () => {
  const { join, decline, dhcp4 } = desk(POOL);
  const address = join(A) ?? "";
  decline(address, { mac: B });
  assert.equal(dhcp4.leases.active, 1);
});

test("an INFORM is answered with options, without address and time (RFC 2131 section 4.3.5)", () => {
  const [ack] = desk(POOL).send(TYPE.inform, { ciaddr: "10.77.200.9", options: [asks(3, 51)] });
  assert.deepEqual([ack?.type, ack?.ip, ack?.to], ["ACK", "0.0.0.0", "10.77.200.9"]);
  assert.deepEqual(ack?.options.routers, ["10.77.0.1"]);
  assert.ok(ack && !("lease_time" in ack.options));
});

test("a lease ends when its time is over, and that is told", () => {
  const { join, pass, dhcp4, store } = desk(POOL);
  join(A);
  pass(3599);
  assert.equal(dhcp4.leases.active, 1);
  pass(2);
  assert.equal(dhcp4.leases.active, 0);
  assert.deepEqual(
    store.events.map(({ type, mac }) => [type, mac.length]),
    [
      ["grant", 6],
      ["expire", 6],
    ],
  );
});

test("an offer nobody takes is free again after its time", () => {
  const { discover, pass } = desk(`[lease]\noffer_time = 30\n${NET}[[subnet.pool]]\nrange = "10.77.1.1"\n`);
  assert.equal(discover({ mac: A })?.ip, "10.77.1.1");
  assert.equal(discover({ mac: B }), undefined);
  pass(31);
  assert.equal(discover({ mac: B })?.ip, "10.77.1.1");
});

test("where a reply goes: broadcast flag, hardware address, relay (RFC 2131 section 4.1)", () => {
  const { discover } = desk(POOL);
  const where = (packet: object) => {
    const reply = discover(packet);
    return [reply?.to === reply?.ip ? "itself" : reply?.to, reply?.port, reply?.hardware];
  };
  assert.deepEqual(where({ mac: A }), ["itself", 68, true]);
  assert.deepEqual(where({ mac: A, flags: 0x8000 }), ["255.255.255.255", 68, false]);
  assert.deepEqual(where({ mac: A, giaddr: "10.77.0.254" }), ["10.77.0.254", 67, false]);
});

test("a hardware address that is not Ethernet's is answered by broadcast (RFC 2131 section 4.1)", () => {
  assert.equal(desk(POOL).discover({ mac: "00:11:22:33:44:55:66:77" })?.to, "255.255.255.255");
});

test("the lab listener answers to where the packet came from", () => {
  const reply = desk(POOL).discover({
    from: { lab: true, sourceAddress: ip("127.0.0.1"), sourcePort: 40_000 },
  });
  assert.deepEqual([reply?.to, reply?.port], ["127.0.0.1", 40_000]);
});

test("a relay's network is found by giaddr (RFC 2131 section 4.3.1)", () => {
  const { discover } = desk(TWO_NETS);
  assert.match(discover({ mac: A, giaddr: "10.78.0.254" })?.ip ?? "", /^10\.78\./);
  assert.equal(discover({ mac: A, giaddr: "10.79.0.254" }), undefined);
});

test("a relay outside its subnet is named in the configuration", () => {
  const { discover } = desk(
    `${NET}relays = ["172.16.0.9"]\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.9"\n`.replace(
      `options`,
      "options",
    ),
  );
  assert.match(discover({ giaddr: "172.16.0.9" })?.ip ?? "", /^10\.77\./);
});

test("link selection comes before giaddr (RFC 3527 section 3)", () => {
  const option: [number, Uint8Array] = [82, relayOption([5, [10, 78, 0, 0]])];
  assert.match(desk(TWO_NETS).discover({ giaddr: "10.77.0.254", options: [option] })?.ip ?? "", /^10\.78\./);
});

test("subnet selection chooses the network (RFC 3011 section 3)", () => {
  const options: Array<[number, Uint8Array]> = [[118, u32Bytes(ip("10.78.0.0"))]];
  const listed = `subnet_selection_relays = ["10.77.0.254"]\n${TWO_NETS}`;
  const relayed = desk(listed).discover({ giaddr: "10.77.0.254", options });
  assert.match(relayed?.ip ?? "", /^10\.78\./);
  assert.equal(relayed?.options.subnet_selection, "10.78.0.0", "and comes back");
  const direct = desk(listed).discover({ options });
  assert.match(direct?.ip ?? "", /^10\.77\./, "only a relay may choose");
  assert.equal(direct?.options.subnet_selection, undefined);
});

test("the relay's option comes back on every reply (RFC 3046 section 2.2)", () => {
  const { discover, reboot, join, renew } = desk(POOL);
  const packet = {
    mac: A,
    giaddr: "10.77.0.254",
    options: [[82, relayOption([1, "port7"])] as [number, Uint8Array]],
  };
  const expected = "01:05:70:6f:72:74:37";
  assert.equal(discover(packet)?.options.relay_agent_information, expected);
  assert.equal(reboot("10.99.0.1", packet)?.options.relay_agent_information, expected, "NAK");
  const address = join(A) ?? "";
  assert.equal(renew(address, packet)?.options.relay_agent_information, expected, "ACK");
});

test("a NAK through a relay asks it to broadcast (RFC 2131 section 4.3.2)", () => {
  const nak = desk(POOL).reboot("10.99.0.1", { giaddr: "10.77.0.254" });
  assert.deepEqual([nak?.to, nak?.message.flags], ["10.77.0.254", 0x8000]);
});

test("a relay may stand in for the server (RFC 5107 section 4)", () => {
  const { discover, send } = desk(POOL);
  const option: [number, Uint8Array] = [82, relayOption([11, [10, 77, 0, 254]])];
  const offer = discover({ mac: A, giaddr: "10.77.0.254", options: [option] });
  assert.equal(offer?.options.server_identifier, "10.77.0.254");
  const [ack] = send(TYPE.request, {
    mac: A,
    giaddr: "10.77.0.254",
    options: [option, [50, offer?.ip ?? ""], [54, u32Bytes(ip("10.77.0.254"))]],
  });
  assert.equal(ack?.type, "ACK");
});

test("a relay that says so gets its reply on the port it sent from (RFC 8357 section 5.2)", () => {
  const option: [number, Uint8Array] = [82, Uint8Array.of(19, 0)];
  const from = { sourcePort: 4321, sourceAddress: ip("10.77.0.254") };
  assert.equal(desk(POOL).discover({ giaddr: "10.77.0.254", options: [option], from })?.port, 4321);
  const other = { ...from, sourceAddress: ip("10.77.0.99") };
  const forged = desk(POOL).discover({ giaddr: "10.77.0.254", options: [option], from: other });
  assert.deepEqual([forged?.to, forged?.port], ["10.77.0.254", 67], "nobody else chooses the port");
});

test("rapid commit: a DISCOVER is acknowledged at once, when both want it (RFC 4039 section 3.1)", () => {
  const rapid: [number, Uint8Array] = [80, new Uint8Array(0)];
  const on = desk(`rapid_commit = true\n${POOL}`);
  const ack = on.discover({ options: [rapid] });
  assert.deepEqual([ack?.type, ack?.options.rapid_commit], ["ACK", true]);
  assert.equal(on.store.leases.size, 1);
  assert.equal(on.discover({ mac: B })?.type, "OFFER");
  assert.equal(desk(POOL).discover({ options: [rapid] })?.type, "OFFER");
});

test("BOOTP gets an address for ever, without DHCP's options (RFC 1534 section 2)", () => {
  const { send, store } = desk(`bootp = true\n${POOL}`);
  const [reply] = send(0, { mac: A });
  assert.equal(reply?.type, "BOOTP");
  assert.ok(reply && !("lease_time" in reply.options) && !("server_identifier" in reply.options));
  assert.equal(store.leases.get(ip(reply?.ip ?? ""))?.until, 0xffffffff);
  assert.deepEqual(desk(POOL).send(0, { mac: A }), [], "switched off");
});

const RESERVED = `${POOL}
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "${A}"
hostname = "door"
options = { routers = ["10.77.0.9"] }
[[subnet.reservation]]
ip = "10.77.1.5"
client_id = ["01:aa:bb", "01:aa:cc"]
[[subnet.reservation]]
ip = "10.77.0.51"
circuit_id = "port7"
[[subnet.reservation]]
ip = "10.77.0.52"
duid = "00:01:00:01"
`;

test("a reservation is given to its client, in the pool or out of it, by any of its identifiers", () => {
  const { join, discover } = desk(RESERVED);
  assert.equal(join(A), "10.77.0.50");
  assert.equal(join(B, { options: [[61, Uint8Array.of(1, 0xaa, 0xcc)]] }), "10.77.1.5");
  assert.equal(
    discover({ mac: "02:00:00:00:00:0c", giaddr: "10.77.0.254", options: [[82, relayOption([1, "port7"])]] })
      ?.ip,
    "10.77.0.51",
  );
  assert.equal(
    discover({ mac: "02:00:00:00:00:0d", options: [[61, Uint8Array.of(255, 0, 0, 0, 9, 0, 1, 0, 1)]] })?.ip,
    "10.77.0.52",
  );
});

test("a reservation's own options and name come first", () => {
  const { discover } = desk(RESERVED);
  const options = discover({ mac: A, options: [asks(3, 12)] })?.options;
  assert.deepEqual([options?.routers, options?.host_name], [["10.77.0.9"], "door"]);
});

test("nobody else is given a reserved address, not even when asking for it", () => {
  const { discover } = desk(RESERVED);
  assert.notEqual(discover({ mac: B, options: [[50, "10.77.1.5"]] })?.ip, "10.77.1.5");
});

test("a client with a new reservation is moved to it at its next renewal", () => {
  const store = new MemoryStore();
  const { join, renew, dhcp4, discover } = desk(POOL, store);
  const old = join(A) ?? "";
  dhcp4.reload(configOf(RESERVED), "v2");
  assert.equal(renew(old, { mac: A })?.type, "NAK");
  assert.equal(discover({ mac: A })?.ip, "10.77.0.50");
  assert.equal(join(A), "10.77.0.50");
  assert.equal(dhcp4.leases.active, 1, "the old address is given up");
  assert.deepEqual([...store.leases.keys()], [ip("10.77.0.50")]);
});

const CLASSES = `
[[class]]
name = "uefi"
match = "option[93] == 0x0007"
next_server = "10.77.0.3"
options = { boot_file_name = "ipxe.efi", tftp_server_name = "tftp" }
[[class]]
name = "bios"
match = "option[93] == 0x0000"
options = { boot_file_name = "undionly.kpxe" }
[[class]]
name = "phones"
match = 'vendor_class starts_with "phone"'
default_time = 120
${NET}
[[subnet.pool]]
range = "10.77.1.1 - 10.77.1.10"
[[subnet.pool]]
range = "10.77.2.1 - 10.77.2.10"
classes = ["phones"]
options = { domain_name_servers = ["10.77.0.77"] }
`;

test("the boot file differs by architecture (RFC 4578 section 2.1)", () => {
  const { discover } = desk(CLASSES);
  const boot = (architecture: number) => {
    const reply = discover({ options: [[93, Uint8Array.of(0, architecture)], asks(66, 67)] });
    return [
      reply?.options.boot_file_name,
      Buffer.from(reply?.message.file ?? []).toString(),
      reply?.message.siaddr,
    ];
  };
  assert.deepEqual(boot(7), ["ipxe.efi", "ipxe.efi", ip("10.77.0.3")]);
  assert.deepEqual(boot(0), ["undionly.kpxe", "undionly.kpxe", 0]);
});

test("a pool of a class is for its members only; class and pool give their options and times", () => {
  const { discover } = desk(CLASSES.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1"));
  const phone: [number, string] = [60, "phone-7"];
  const ask = (mac: string, options: Array<[number, string]>) =>
    discover({ mac, options: [...options, asks(6)] });
  assert.equal(ask(A, [])?.ip, "10.77.1.1");
  assert.equal(ask(B, []), undefined, "the open pool is full and the other one is not for it");
  const reply = ask(B, [phone]);
  assert.match(reply?.ip ?? "", /^10\.77\.2\./);
  assert.deepEqual([reply?.options.domain_name_servers, reply?.options.lease_time], [["10.77.0.77"], 120]);
});

test("a shared network gives from all of its subnets, each with its own mask and options", () => {
  const { join, discover } =
    desk(`[[shared_network]]\nname = "hall"\noptions = { domain_name = "hall.example" }
[[subnet]]\nnetwork = "10.77.0.0/24"\nshared_network = "hall"\n[[subnet.pool]]\nrange = "10.77.0.10"
[[subnet]]\nnetwork = "10.99.0.0/16"\nshared_network = "hall"\n[[subnet.pool]]\nrange = "10.99.0.10"\n`);
  const [a, b] = [join(A), join(B)].sort();
  assert.deepEqual([a, b], ["10.77.0.10", "10.99.0.10"]);
  assert.equal(discover({ mac: "02:00:00:00:00:0c" }), undefined);
  for (const mac of [A, B]) {
    const reply = discover({ mac, options: [asks(15)] });
    assert.equal(reply?.options.subnet_mask, reply?.ip === a ? "255.255.255.0" : "255.255.0.0");
    assert.equal(reply?.options.domain_name, "hall.example");
  }
});

test("the domain name a client sends is answered: no DNS updates here (RFC 4702 section 4)", () => {
  const fqdn = Uint8Array.of(0x05, 0, 0, 1, 97, 0);
  const reply = desk(POOL).discover({ options: [[81, fqdn]] });
  assert.deepEqual([...(reply?.message.options.get(81) ?? [])].slice(0, 3), [0x04 | 0x08 | 0x02, 255, 255]);
});

test("where names are kept in DNS, the server says that it does so, whatever the client wanted (RFC 4702 section 4)", () => {
  const ddns = `[ddns]\nenabled = true\nserver = "127.0.0.1:53"\nforward_zone = "a.example"\n`;
  for (const [asked, answered] of [
    [0x05, 0x05],
    [0x04, 0x07],
  ] as const) {
    const reply = desk(`${ddns}${POOL}`).discover({ options: [[81, Uint8Array.of(asked, 0, 0, 1, 97, 0)]] });
    assert.equal(reply?.message.options.get(81)?.[0], answered);
  }
});

test("probe: an address that someone answers for is quarantined and another one offered (RFC 2131 section 3.1)", () => {
  const { send, probed, engine, taken, store } = desk(`[lease]\nprobe = true\n${POOL}`);
  assert.deepEqual(send(TYPE.discover, { mac: A }), []);
  const [first] = probed;
  assert.ok(first);
  engine.answered({ address: first, hardware: undefined });
  assert.deepEqual(taken(), []);
  const second = probed[1];
  assert.ok(second && second !== first);
  assert.deepEqual(
    store.events.map(({ type, ip: address }) => [type, address]),
    [["conflict", first]],
  );
});

test("probe: when nobody answers in time, the address is offered, and not asked for again at once", () => {
  const { send, clock, engine, taken, probed, discover } = desk(
    `[lease]\nprobe = true\nprobe_wait_ms = 500\n${POOL}`,
  );
  send(TYPE.discover, { mac: A });
  clock.advance(499);
  engine.tick();
  assert.deepEqual(taken(), []);
  clock.advance(1);
  engine.tick();
  assert.deepEqual(
    taken().map(({ type }) => type),
    ["OFFER"],
  );
  assert.equal(discover({ mac: A })?.type, "OFFER");
  assert.equal(probed.length, 1);
});

test("probe: hundreds of addresses that nobody answers for in one moment are all offered", () => {
  const { send, clock, engine, taken } = desk(
    `[lease]\nprobe = true\n${NET}[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.9.255"\n`,
  );
  for (let n = 0; n < 700; n++) send(TYPE.discover, { mac: `02:00:00:00:0${n >> 8}:${hexOctet(n)}` });
  clock.advance(500);
  engine.tick();
  const offers = taken();
  assert.equal(offers.length, 700);
  assert.equal(new Set(offers.map((offer) => offer.ip)).size, 700);
});

test("FORCERENEW is signed with the nonce of the ACK (RFC 3203, RFC 6704 section 3.1)", () => {
  const { discover, select, dhcp4, taken } = desk(POOL);
  const capable: [number, Uint8Array] = [145, Uint8Array.of(1)];
  const offer = discover({ mac: A, options: [capable] });
  assert.equal(offer?.options.forcerenew_nonce_capable, "01");
  const ack = select(offer?.ip ?? "", { mac: A, options: [capable] });
  const auth = ack?.message.options.get(90) as Uint8Array;
  assert.deepEqual([...auth.subarray(0, 3), auth[11]], [3, 1, 0, 1]);
  const nonce = auth.subarray(12);
  assert.equal(nonce.length, 16);

  assert.equal(dhcp4.forceRenew(ip(offer?.ip ?? "")), "sent");
  const [force] = taken();
  assert.deepEqual([force?.type, force?.to, force?.port], ["FORCERENEW", offer?.ip, 68]);
  const signed = force?.message.options.get(90) as Uint8Array;
  assert.ok(Buffer.compare(signed.subarray(3, 11), auth.subarray(3, 11)) > 0, "replay detection grows");
  const digest = signed.slice(12);
  const raw = force?.message.options.get(90) as Uint8Array;
  raw.fill(0, 12);
  const whole = new Uint8Array(raw.buffer, 0, raw.buffer.byteLength);
  assert.deepEqual(createHmac("md5", nonce).update(whole).digest(), Buffer.from(digest));
});

test("replay detection of DHCPv4 is ahead of the engine's time by what the other server of a pair had sent", () => {
  const store = new MemoryStore();
  store.kept = { ...store.kept, replayAhead: 4_000_000 };
  const { discover, select, dhcp4, taken, clock } = desk(POOL, store);
  const capable: [number, Uint8Array] = [145, Uint8Array.of(1)];
  const address = discover({ mac: A, options: [capable] })?.ip ?? "";
  const ack = select(address, { mac: A, options: [capable] });
  assert.equal(dhcp4.forceRenew(ip(address)), "sent");
  const expected = Math.floor((clock.wall() + 4_000_000) / 1000);
  for (const reply of [ack, taken()[0]]) {
    const auth = Buffer.from(reply?.message.options.get(90) as Uint8Array);
    assert.equal(auth.readUInt32BE(3), expected);
  }
});

test("FORCERENEW comes from the address that the client knows the server by", () => {
  const { discover, select, dhcp4, taken, ingress } = desk(POOL);
  Object.assign(ingress, { addresses: [ip("192.0.2.1"), SERVER] });
  const capable: [number, Uint8Array] = [145, Uint8Array.of(1)];
  const address = discover({ mac: A, options: [capable] })?.ip ?? "";
  const ack = select(address, { mac: A, options: [capable] });
  assert.equal(dhcp4.forceRenew(ip(address)), "sent");
  assert.equal(taken()[0]?.options.server_identifier, ack?.options.server_identifier);
});

test("FORCERENEW leaves by the interface through which its client came, behind whatever router it is", () => {
  const { discover, select, dhcp4, taken } = desk(POOL);
  const capable: [number, Uint8Array] = [145, Uint8Array.of(1)];
  const relayed = {
    ...{ mac: A, giaddr: "10.77.0.9", options: [capable] },
    from: { interfaceName: "eth7", sourceAddress: ip("10.77.0.9"), sourcePort: 67, unicast: true },
  };
  const address = discover(relayed)?.ip ?? "";
  assert.equal(select(address, relayed)?.type, "ACK");
  assert.equal(dhcp4.forceRenew(ip(address)), "sent");
  assert.equal(taken()[0]?.through, "eth7");
});

test("FORCERENEW is not sent to a client that could not check it (RFC 6704 section 3.1)", () => {
  const { join, dhcp4 } = desk(POOL);
  assert.equal(dhcp4.forceRenew(ip(join(A) ?? "")), "no_nonce");
  assert.equal(dhcp4.forceRenew(ip("10.77.1.9")), "no_lease");
});

test("explain decides as for a packet, tells why, and changes nothing", () => {
  const { dhcp4, engine, discover } = desk(RESERVED);
  const query = { mac: Uint8Array.of(2, 0, 0, 0, 0, 10), giaddr: 0, options: new Map() };
  const told = engine.rehearse((batch) => dhcp4.explain(query, batch));
  assert.deepEqual(told.steps, [
    "The client is known by its hardware address 02:00:00:00:00:0a.",
    "Its network is 10.77.0.0/16, by the interface eth0.",
    "It is in no class.",
    "The address 10.77.0.50 is reserved for it.",
    "It gets 10.77.0.50: reserved for this client.",
    "It may keep it for 3600 seconds.",
    "The reply is an OFFER.",
  ]);
  assert.equal(told.outcome, "offer");
  assert.equal([...dhcp4.leases.all()].length, 0);
  assert.equal(told.reply?.ip, discover({ mac: A })?.ip);
});

test("after a restart everything acknowledged is there, and nothing is held twice", () => {
  const store = new MemoryStore();
  const first = desk(POOL, store);
  const held = new Map([A, B, "02:00:00:00:00:0c"].map((mac) => [mac, first.join(mac)]));
  const again = desk(POOL, store, first.clock);
  assert.equal(again.dhcp4.leases.active, 3);
  for (const [mac, address] of held) assert.equal(again.renew(address ?? "", { mac })?.type, "ACK");
});

test("a malformed packet is counted and answered by silence", () => {
  const { engine, ingress, counters, taken } = desk(POOL);
  engine.handle([{ bytes: new Uint8Array(10), ingress }]);
  assert.deepEqual([counters.get("parse_errors"), taken().length], [1, 0]);
});

test("a reply of ours is not taken for a request", () => {
  const { engine, ingress, taken } = desk(POOL);
  engine.handle([{ bytes: Uint8Array.from([2, 1, 6, ...new Uint8Array(297)]), ingress }]);
  assert.deepEqual(taken(), []);
});

test("ten thousand mutated packets go through the whole engine, and none finds a mistake", () => {
  const { engine, ingress, mishaps, taken, counters, clock } = desk(CLASSES);
  const seeds = [
    packetOf(TYPE.discover, { mac: A, options: [asks(1, 3, 6, 67), [93, Uint8Array.of(0, 7)]] }),
    packetOf(TYPE.request, {
      mac: A,
      options: [
        [50, "10.77.1.3"],
        [54, u32Bytes(SERVER)],
      ],
    }),
    packetOf(TYPE.request, { mac: B, ciaddr: "10.77.1.4", options: [[81, Uint8Array.of(1, 0, 0, 97)]] }),
    packetOf(TYPE.inform, { mac: B, ciaddr: "10.77.1.4" }),
    packetOf(TYPE.decline, { mac: A, options: [[50, "10.77.1.3"]] }),
    packetOf(TYPE.release, { mac: A, ciaddr: "10.77.1.3" }),
    packetOf(TYPE.discover, {
      giaddr: "10.77.0.9",
      options: [
        [82, relayOption([1, "port"], [5, [10, 77, 0, 0]])],
        [61, Uint8Array.of(255, 1, 2, 3, 4, 5, 6)],
      ],
    }),
  ];
  for (const bytes of mutatedPackets(seeds, 10_000, 7)) {
    engine.handle([{ bytes, ingress }]);
    clock.advance(10);
  }
  engine.tick();
  assert.deepEqual(mishaps, []);
  assert.equal(counters.get("packets_received"), 10_000);
  assert.ok(taken().length > 1000, "most of them are still understood");
});
