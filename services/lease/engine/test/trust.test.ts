import assert from "node:assert/strict";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { STATE } from "../src/leases/binding.ts";
import { configOf, desk, ip, packetOf, relayOption, SERVER } from "./desk.ts";

const NET = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\n`;
const TWO = `${NET}[[subnet]]\nnetwork = "10.78.0.0/16"\n[[subnet.pool]]\nrange = "10.78.1.1 - 10.78.1.10"\n`;
const A = "02:00:00:00:00:0a";
const B = "02:00:00:00:00:0b";
const C = "02:00:00:00:00:0c";
const circuit = (name: string): [number, Uint8Array] => [82, relayOption([1, name])];

test("a relay from nowhere is not believed and gets no reply", () => {
  const { discover, counters, store } = desk(TWO);
  assert.equal(discover({ giaddr: "192.0.2.1" }), undefined);
  const link: [number, Uint8Array] = [82, relayOption([5, [10, 78, 0, 0]])];
  assert.equal(discover({ giaddr: "192.0.2.1", options: [link] }), undefined);
  assert.equal(counters.get("drop_untrusted_relay"), 2);
  assert.deepEqual(
    store.events.map(({ type, reason, ip: address }) => [type, reason, address]),
    Array(2).fill(["refusal", "untrusted-relay", 0]),
  );
  assert.equal(store.leases.size, 0);
});

test("that a relay is not believed is in the history, for each a few times an hour, with nothing it says", () => {
  const { discover, store, pass, counters } = desk(NET);
  const options: Array<[number, Uint8Array]> = [[CODE.relayAgent, relayOption([1, "port 7"])]];
  for (let n = 0; n < 30; n++) {
    discover({ mac: `02:00:00:00:00:${n + 10}`, giaddr: "192.0.2.9", options });
  }
  discover({ mac: "02:00:00:00:00:99", giaddr: "192.0.2.10", options });
  const [first] = store.events;
  const { type, reason, giaddr, circuitId, config } = first as (typeof store.events)[0];
  assert.deepEqual(
    { type, reason, giaddr, circuitId, config },
    { type: "refusal", reason: "untrusted-relay", giaddr: ip("192.0.2.9"), circuitId: null, config: "v1" },
  );
  assert.deepEqual([...(first?.mac ?? [])].at(-1), 0x10);
  const of = (relay: string) => store.events.filter((each) => each.giaddr === ip(relay)).length;
  assert.deepEqual([of("192.0.2.9"), of("192.0.2.10"), counters.get("events_suppressed")], [10, 1, 20]);
  pass(3600);
  discover({ giaddr: "192.0.2.9" });
  assert.equal(of("192.0.2.9"), 11);
});

test("relays that a sender invents do not fill the history", () => {
  const { discover, store } = desk(NET);
  for (let n = 0; n < 1200; n++) discover({ giaddr: `192.0.${n >> 8}.${n & 255}` });
  assert.equal(store.events.length, 1000);
});

test("a relay outside the subnets is believed when relay_networks or a subnet's relays name it", () => {
  const link: [number, Uint8Array] = [82, relayOption([5, [10, 78, 0, 0]])];
  const wide = desk(`relay_networks = ["192.0.2.0/24"]\n${TWO}`);
  assert.match(wide.discover({ giaddr: "192.0.2.1", options: [link] })?.ip ?? "", /^10\.78\./);
  const named = desk(
    TWO.replace(`network = "10.78.0.0/16"`, `network = "10.78.0.0/16"\nrelays = ["192.0.2.9"]`),
  );
  assert.match(named.discover({ giaddr: "192.0.2.9" })?.ip ?? "", /^10\.78\./);
});

test("a client behind a relay chooses its network by option 118 only where subnet_selection_relays names the relay", () => {
  const chosen: [number, Uint8Array] = [CODE.subnetSelection, u32Bytes(ip("10.78.0.0"))];
  const [relay, other] = ["10.77.0.254", "10.77.0.253"];
  for (const listed of ["", `relays = ["${relay}"]\n`, `relay_networks = ["10.77.0.0/24"]\n`]) {
    const offer = desk(`${listed}${TWO}`).discover({ giaddr: relay, options: [chosen] });
    assert.match(offer?.ip ?? "", /^10\.77\./, listed);
    assert.equal(offer?.message.options.has(CODE.subnetSelection), false, "RFC 3011: echoed when it counted");
  }
  const named = desk(`subnet_selection_relays = ["${relay}"]\n${TWO}`);
  const offer = named.discover({ giaddr: relay, options: [chosen] });
  assert.match(offer?.ip ?? "", /^10\.78\./);
  assert.deepEqual(offer?.message.options.get(CODE.subnetSelection), chosen[1]);
  assert.match(named.discover({ mac: B, giaddr: other, options: [chosen] })?.ip ?? "", /^10\.77\./);
});

test("a relay that subnet_selection_relays names is believed", () => {
  const chosen: [number, Uint8Array] = [CODE.subnetSelection, u32Bytes(ip("10.78.0.0"))];
  const far = desk(`subnet_selection_relays = ["192.0.2.1"]\n${TWO}`);
  assert.match(far.discover({ giaddr: "192.0.2.1", options: [chosen] })?.ip ?? "", /^10\.78\./);
});

test("with a list of relays, no other one is believed", () => {
  const { discover } = desk(`relays = ["10.77.0.254"]\n${NET}`);
  assert.ok(discover({ giaddr: "10.77.0.254" }));
  assert.equal(discover({ giaddr: "10.77.0.253", mac: B }), undefined);
});

test("option 82 counts only with a relay: it wins no reservation, is not echoed and not kept", () => {
  const reserved = `${NET}[[subnet.reservation]]\nip = "10.77.0.50"\ncircuit_id = "port7"\n`;
  const { discover, join, store } = desk(reserved);
  const forged = discover({ mac: A, options: [circuit("port7")] });
  assert.notEqual(forged?.ip, "10.77.0.50");
  assert.equal(forged?.options.relay_agent_information, undefined);
  join(A, { options: [circuit("port7")] });
  assert.equal([...store.leases.values()][0]?.circuitId, null);
  assert.equal(discover({ mac: B, giaddr: "10.77.0.254", options: [circuit("port7")] })?.ip, "10.77.0.50");
});

test("nobody can have replies sent to an address that is not of the client's network", () => {
  const { send, counters } = desk(`bootp = true\n${TWO}`);
  assert.deepEqual(send(TYPE.inform, { ciaddr: "203.0.113.9" }), []);
  assert.deepEqual(send(TYPE.inform, { ciaddr: "10.78.1.9" }), [], "served, and on another link");
  assert.deepEqual(send(TYPE.inform, { from: { sourceAddress: ip("203.0.113.9") } }), []);
  assert.equal(counters.get("drop_foreign_address"), 3);
  assert.equal(send(TYPE.inform, { ciaddr: "10.77.9.9" })[0]?.to, "10.77.9.9");
  const [offer] = send(TYPE.discover, { mac: A, ciaddr: "10.77.9.9" });
  assert.deepEqual([offer?.to, offer?.hardware], [offer?.ip, true], "who begins has no address");
  const take: [number, Uint8Array][] = [
    [CODE.requestedAddress, u32Bytes(ip(offer?.ip ?? ""))],
    [CODE.serverIdentifier, u32Bytes(SERVER)],
  ];
  const [ack] = send(TYPE.request, { mac: A, ciaddr: "203.0.113.9", options: take });
  assert.deepEqual([ack?.type, ack?.to, ack?.hardware], ["ACK", offer?.ip, true]);
  const [bootp] = send(0, { mac: B, ciaddr: "203.0.113.9" });
  assert.deepEqual([bootp?.to, bootp?.hardware], [bootp?.ip, true]);
});

test("the engine's own address is given to nobody: not from a pool, not by reservation, not to who asks for it", () => {
  const tiny = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.0.2"\n[[subnet.reservation]]\nip = "10.77.0.3"\nmac = "${C}"\n`;
  const server = desk(tiny);
  const asking: [number, string][] = [[CODE.requestedAddress, "10.77.0.1"]];
  assert.ok(server.logged.some((line) => line.includes("the engine's own address")));
  assert.equal(server.dhcp4.leases.uses()[0]?.free, 1);
  assert.equal(server.discover({ mac: A, options: asking })?.ip, "10.77.0.2");
  assert.equal(server.discover({ mac: B }), undefined);
  assert.equal(server.renew("10.77.0.1", { mac: B }), undefined);
  server.own.add(ip("10.77.0.3"));
  assert.equal(server.discover({ mac: C }), undefined);
});

test("an address that becomes the engine's own is renewed for nobody, and one that it leaves can be given", () => {
  const tiny = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.0.2"\n`;
  const { own, dhcp4, join, renew, discover } = desk(tiny);
  assert.equal(join(A), "10.77.0.2");
  own.clear();
  own.add(ip("10.77.0.2"));
  dhcp4.addressesChanged();
  assert.equal(renew("10.77.0.2", { mac: A })?.type, "NAK");
  assert.equal(discover({ mac: B })?.ip, "10.77.0.1");
});

test("one device cannot put a whole pool into quarantine, by whatever names and in whatever batches", () => {
  const server = desk(NET);
  const { discover, decline, engine, ingress, dhcp4, counters, pass, join } = server;
  const named = (n: number): [number, string][] => [[CODE.clientIdentifier, `name-${n}`]];
  for (let n = 0; n < 10; n++) {
    const offer = discover({ mac: A, options: named(n) })?.ip ?? "";
    server.send(TYPE.decline, { mac: A, options: [...named(n), [CODE.requestedAddress, offer]] });
  }
  assert.equal(dhcp4.leases.uses()[0]?.declined, 5);
  assert.equal(counters.get("drop_decline_limit"), 5);
  assert.ok(server.logged.some((line) => line.includes("declines every address")));
  pass(3601);
  const round = [discover({ mac: B })?.ip ?? ""].flatMap(() =>
    Array.from({ length: 10 }, (_, n) => [
      { bytes: packetOf(TYPE.discover, { mac: B }), ingress },
      {
        bytes: packetOf(TYPE.decline, { mac: B, options: [[CODE.requestedAddress, `10.77.1.${n + 1}`]] }),
        ingress,
      },
    ]).flat(),
  );
  for (let again = 0; again < 10; again++) engine.handle(round);
  assert.ok((dhcp4.leases.uses()[0]?.declined ?? 10) <= 5);
  server.taken();
  assert.ok(join(C), "others are served");
  assert.deepEqual(decline("10.77.1.1", { mac: C }).length, 0);
});

test("who asks for options alone gets those of its own subnet of a shared network", () => {
  const shared = `[[shared_network]]\nname = "floor"\n${TWO.replaceAll("[[subnet]]", '[[subnet]]\nshared_network = "floor"\noptions = { routers = ["ROUTER"] }')}`;
  const toml = shared.replace("ROUTER", "10.77.0.9").replace("ROUTER", "10.78.0.9");
  const { send } = desk(toml);
  assert.deepEqual(send(TYPE.inform, { ciaddr: "10.78.200.9" })[0]?.options.routers, ["10.78.0.9"]);
  assert.equal(send(TYPE.inform, { ciaddr: "10.78.200.9" })[0]?.options.subnet_mask, "255.255.0.0");
  assert.deepEqual(send(TYPE.inform, { ciaddr: "10.77.200.9" })[0]?.options.routers, ["10.77.0.9"]);
});

test("a REQUEST that answers no offer of ours binds nothing", () => {
  const { select, store, counters } = desk(NET);
  assert.equal(select("10.77.1.5", { mac: A })?.type, "NAK");
  assert.equal(store.leases.size, 0);
  assert.equal(counters.get("sent_nak"), 1);
});

test("an offer that ran out cannot be taken any more", () => {
  const { discover, select, pass, store } = desk(NET);
  const offer = discover({ mac: A })?.ip ?? "";
  pass(61);
  assert.equal(select(offer, { mac: A })?.type, "NAK");
  assert.equal(store.leases.size, 0);
});

test("INIT-REBOOT: an address that is not its own is refused, though it is free", () => {
  const { join, reboot } = desk(NET);
  const own = join(A);
  const other = own === "10.77.1.5" ? "10.77.1.6" : "10.77.1.5";
  assert.equal(reboot(other, { mac: A })?.type, "NAK");
  assert.equal(reboot(own ?? "", { mac: A })?.type, "ACK");
});

test("REBINDING on another link is refused, whatever ciaddr says; a renewal through a router is not", () => {
  const { join, renew, dhcp4 } = desk(TWO);
  const address = join(A, { giaddr: "10.78.0.254" }) ?? "";
  assert.match(address, /^10\.78\./);
  assert.equal(renew(address, { mac: A })?.type, "ACK");
  assert.equal(renew(address, { mac: A, from: { unicast: false } })?.type, "NAK");
  assert.equal(dhcp4.leases.active, 1);
});

test("a DISCOVER with a ciaddr draws from the network it came from", () => {
  const { discover } = desk(TWO);
  const offer = discover({ mac: A, ciaddr: "10.78.1.1", from: { unicast: true } });
  assert.match(offer?.ip ?? "", /^10\.77\./);
});

test("per_port_limit: a port gets so many addresses and no more, whoever asks", () => {
  const { join, discover, release, store, renew, counters } = desk(`[lease]\nper_port_limit = 2\n${NET}`);
  const port = { giaddr: "10.77.0.254", options: [circuit("port7")] };
  const first = join(A, port) ?? "";
  assert.ok(join(B, port));
  assert.equal(discover({ mac: C, ...port }), undefined);
  assert.deepEqual(
    store.events.map(({ type, reason }) => [type, reason]),
    [
      ["grant", null],
      ["grant", null],
      ["refusal", "port-limit"],
    ],
  );
  assert.equal(counters.get("drop_port_limit"), 1);
  assert.equal(renew("10.77.1.9", { mac: C, ...port }), undefined, "nor by renewing what it never had");
  assert.equal(renew(first, { mac: A })?.type, "ACK", "who is there stays");
  assert.ok(join(A, port), "and may come again");
  assert.ok(
    discover({ mac: C, giaddr: "10.77.0.254", options: [circuit("port8")] }),
    "another port has its own",
  );
  release(first, { mac: A });
  assert.ok(discover({ mac: C, ...port }));
});

test("per_port_limit: after a restart the ports are known again", () => {
  const toml = `[lease]\nper_port_limit = 1\n${NET}`;
  const port = { giaddr: "10.77.0.254", options: [circuit("port7")] };
  const first = desk(toml);
  first.join(A, port);
  first.renew([...first.store.leases.keys()].map((each) => `10.77.1.${each & 255}`)[0] ?? "", { mac: A });
  const again = desk(toml, first.store, first.clock);
  assert.equal(again.discover({ mac: B, ...port }), undefined);
  assert.equal(again.dhcp4.leases.crowdedPorts(0).length, 1);
});

test("per_port_limit: a lease of a subnet that was replaced counts for no port, and ends where its client begins anew", () => {
  const toml = (net: string) =>
    `[lease]\nper_port_limit = 2\ndefault_time = 4294967295\n[[subnet]]\nnetwork = "${net}.0/24"\n[[subnet.pool]]\nrange = "${net}.10 - ${net}.60"\n`;
  const [before, after] = [toml("10.77.0"), toml("10.78.0")];
  const first = desk(before);
  const there = { from: { addresses: [ip("10.78.0.1")] } };
  const held = [first.join(A), first.join(B)];
  first.dhcp4.reload(configOf(after), "v2");
  assert.deepEqual(first.dhcp4.leases.crowdedPorts(0), []);
  assert.match(first.join(A, there) ?? "", /^10\.78\.0\./);
  assert.equal(first.store.leases.has(ip(held[0] ?? "")), false, "it has left the old one");
  assert.equal(first.store.leases.get(ip(held[1] ?? ""))?.state, STATE.bound, "the other has not come yet");
  const again = desk(after, first.store, first.clock);
  assert.deepEqual(again.dhcp4.leases.crowdedPorts(0), [{ port: "eth0", held: 1 }]);
  assert.match(again.join(B, there) ?? "", /^10\.78\.0\./);
  assert.equal(again.discover({ mac: C, ...there }), undefined, "the port is full");
  again.dhcp4.reload(configOf(before), "v3");
  assert.deepEqual(again.dhcp4.leases.crowdedPorts(0), []);
  again.dhcp4.reload(configOf(after), "v4");
  assert.deepEqual(again.dhcp4.leases.crowdedPorts(0), [{ port: "eth0", held: 2 }], "taken back, they count");
});

test("a client identifier longer than an option can be is not served", () => {
  const { discover, counters } = desk(NET);
  assert.equal(discover({ options: [[CODE.clientIdentifier, new Uint8Array(300).fill(7)]] }), undefined);
  assert.equal(counters.get("drop_identifier_too_long"), 1);
});

test("names with control characters of any kind, or that turn the direction of text, are not kept", () => {
  for (const name of ["a\u0007b", "a\u009bm", "a\u202eb", "\u0085", "a\u200eb", "a\u200fb", "a\u061cb"]) {
    const { join, store } = desk(NET);
    join(A, { options: [[CODE.hostName, name]] });
    assert.equal([...store.leases.values()][0]?.hostname, null, JSON.stringify(name));
  }
  const { join, store } = desk(NET);
  join(A, { options: [[CODE.hostName, "Grüße-7"]] });
  assert.equal([...store.leases.values()][0]?.hostname, "Grüße-7");
});

test("the server identifier is the address on the client's own subnet", () => {
  const { discover } = desk(TWO);
  const addresses = [ip("192.0.2.1"), ip("10.78.0.1"), SERVER];
  assert.equal(discover({ mac: A, from: { addresses } })?.options.server_identifier, "10.78.0.1");
  const relayed = discover({ mac: B, giaddr: "10.77.0.254", from: { addresses } });
  assert.equal(relayed?.options.server_identifier, "10.77.0.1");
});

test("a client whose offer another server won gives it up, and is counted so", () => {
  const { discover, send, dhcp4, counters } = desk(NET);
  discover({ mac: A });
  send(TYPE.request, {
    mac: A,
    options: [
      [CODE.serverIdentifier, u32Bytes(ip("10.77.0.2"))],
      [CODE.requestedAddress, "10.77.9.9"],
    ],
  });
  assert.equal([...dhcp4.leases.all()].length, 0);
  assert.equal(counters.get("drop_other_server_chosen"), 1);
});

test("invented clients that come and go cannot push the history out: their leases last, and every holder is told", () => {
  const pool = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.200"\n`;
  const { join, release, counters, store, pass, dhcp4, logged } = desk(pool);
  const mac = (n: number) =>
    `02:aa:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
  const comeAndGo = (from: number) => {
    for (let n = from; n < from + 3000; n++) {
      const address = join(mac(n), { options: [[CODE.leaseTime, 60]] });
      if (address) release(address, { mac: mac(n) });
    }
  };
  comeAndGo(0);
  assert.ok(counters.get("drop_release_limit") > 0);
  assert.ok(logged.some((line) => line.includes("clients come and go")));
  const grants = store.events.filter(({ type }) => type === "grant");
  assert.ok(grants.length <= 1000 + 200, `${grants.length}`);
  assert.equal(grants.length, counters.get("sent_ack"), "every one that there was");
  pass(120);
  comeAndGo(3000);
  assert.ok(store.events.filter(({ type }) => type === "grant").length <= 1000 + 200, "nor by short leases");
  for (const { ip: address, mac: holder } of store.leases.values()) {
    const last = store.events.findLast((event) => event.ip === address && event.type === "grant");
    assert.deepEqual(last?.mac, holder);
  }
  pass(3600);
  const address = join(mac(9000)) ?? "";
  release(address, { mac: mac(9000) });
  assert.equal(dhcp4.leases.find(ip(address))?.state, STATE.released, "an hour later");
});

test("invented clients on a port that an address is reserved for stop taking it from each other", () => {
  const reserved = `${NET}[[subnet.reservation]]\nip = "10.77.0.50"\ncircuit_id = "port7"\n`;
  const { join, store } = desk(reserved);
  const port = { giaddr: "10.77.0.254", options: [circuit("port7")] };
  for (let n = 0; n < 1500; n++)
    join(`02:aa:00:00:0${n >> 8}:${(n & 255).toString(16).padStart(2, "0")}`, port);
  const grants = store.events.filter(({ type }) => type === "grant").length;
  assert.ok(grants <= 1000 + 20, `${grants} grants`);
});

test("clients that come and go on a network keep nobody from the address that is reserved for it", () => {
  const reserved = `${NET}[[subnet.reservation]]\nip = "10.77.0.50"\nmac = "${A}"\n[[subnet.reservation]]\nip = "10.77.0.60"\ncircuit_id = "port7"\n`;
  const { join, release } = desk(reserved);
  const named = (text: string): [number, string] => [CODE.clientIdentifier, text];
  const port = { giaddr: "10.77.0.254", options: [circuit("port7")] };
  join(B, port);
  for (let n = 0; n < 1100; n++) {
    const mac = `02:aa:00:00:0${n >> 8}:${(n & 255).toString(16).padStart(2, "0")}`;
    release(join(mac) ?? "", { mac });
  }
  for (const stage of ["\u0000pxe", "\u0000ipxe", "\u0000system"])
    assert.equal(join(A, { options: [named(stage)] }), "10.77.0.50", stage);
  assert.equal(join("02:00:00:00:00:0c", port), "10.77.0.60", "a new device on the port");
});

test("a device that invents names for itself stops taking its reserved address from itself", () => {
  const reserved = `${NET}[[subnet.reservation]]\nip = "10.77.0.50"\nmac = "${A}"\n`;
  const { join, store } = desk(reserved);
  for (let n = 0; n < 1500; n++) join(A, { options: [[CODE.clientIdentifier, `\u0000${n}`]] });
  const grants = store.events.filter(({ type }) => type === "grant").length;
  assert.ok(grants <= 1000 + 20, `${grants} grants`);
});

test("that clients come and go is known of their network, also when a configuration puts another before it", () => {
  const { join, release, dhcp4, counters } = desk(NET);
  const mac = (n: number) => `02:aa:00:00:0${n >> 8}:${(n & 255).toString(16).padStart(2, "0")}`;
  for (let n = 0; n < 999; n++) release(join(mac(n)) ?? "", { mac: mac(n) });
  const before = NET.replaceAll("10.77", "10.76");
  dhcp4.reload(configOf(`${before}${NET}`), "v2");
  const other = { giaddr: "10.76.0.254" };
  const address = join(A, other) ?? "";
  release(address, { mac: A, ...other });
  assert.equal(counters.get("drop_release_limit"), 0);
  release(join(B) ?? "", { mac: B });
  assert.equal(counters.get("drop_release_limit"), 1);
});

test("in a pool of thousands, as many clients as it has addresses may come and go within an hour", () => {
  const pool = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.10.255"\n`;
  const { join, release, counters } = desk(pool);
  const mac = (n: number) =>
    `02:aa:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
  for (let n = 0; n < 2500; n++) release(join(mac(n)) ?? "", { mac: mac(n) });
  assert.equal(counters.get("drop_release_limit"), 0);
  for (let n = 2500; n < 2700; n++) release(join(mac(n)) ?? "", { mac: mac(n) });
  assert.ok(counters.get("drop_release_limit") > 0);
});

test("refusals of clients that are invented are told of a few thousand times an hour", () => {
  const { send, pass, store } = desk(NET.replace("10.77.1.1 - 10.77.1.10", "10.77.1.1"));
  for (let n = 0; n < 200; n++) {
    for (let i = 0; i < 100; i++) {
      const tail = [n, i].map((octet) => octet.toString(16).padStart(2, "0")).join(":");
      send(TYPE.request, { mac: `02:bb:00:00:${tail}`, options: [[CODE.requestedAddress, "10.99.0.1"]] });
    }
    pass(1);
  }
  assert.equal(store.events.filter(({ type }) => type === "nak").length, 10_000);
});
