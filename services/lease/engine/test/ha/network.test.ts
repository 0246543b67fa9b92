import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HaInvitation, HaStatus } from "@frontdesk/lease-control-api/ha";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { dhcpClients } from "../dhcp-clients.ts";
import { type RunningEngine, TestNetwork, until } from "../test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  udhcpc: "udhcpc",
  curl: "curl",
  dhcrelay: "isc-dhcp-relay",
});
const skip = "missing" in found ? found.missing : false;
const programs = "missing" in found ? ({} as Record<string, string>) : found.paths;
const timeout = 240_000;

/** Short where a test waits for a renewal, and longer than a test where it counts leases. */
const toml = (mode: string, seconds: number) => `[server]
interfaces = ["eth0"]
[lease]
default_time = ${seconds}
min_time = 20
[ha]
enabled = true
mode = "${mode}"
primary = "10.99.0.1:31077"
secondary = "10.99.0.2:31077"
max_lead = 60
max_clock_skew = 2
contact_timeout = 2
[[subnet]]
network = "10.77.0.0/24"
[[subnet.pool]]
range = "10.77.0.100 - 10.77.0.199"
[[subnet]]
network = "10.79.0.0/24"
[[subnet.pool]]
range = "10.79.0.100 - 10.79.0.199"
`;

const statusOf = (engine: RunningEngine) => engine.ask("/v1/ha/status") as HaStatus;
const stateIs = (engine: RunningEngine, state: HaStatus["state"]) => () => statusOf(engine).state === state;
const leasesOf = (engine: RunningEngine) =>
  engine
    .leases("active")
    .map(({ ip, mac }) => `${ip} ${mac}`)
    .toSorted();
/** The two are asked one after the other, and a lease may end between. */
const knowTheSame = (one: RunningEngine, other: RunningEngine) =>
  until("both know the same", () => leasesOf(one).join() === leasesOf(other).join());
const addressIn = (told: string) => /^ip=(.*)$/m.exec(told)?.[1];

/** Two engines and their clients on one segment, and a cable of their own between the two. */
async function pairDesk(t: TestContext, mode = "hot-standby", seconds = 300) {
  const network = new TestNetwork(t);
  const segment = network.host("w");
  network.bridge(segment, "br0", "10.77.0.254/24");
  const hosts = { a: network.host("a"), b: network.host("b") };
  network.plug(segment, "br0", hosts.a, "eth0", "02:00:00:00:fe:f1");
  network.plug(segment, "br0", hosts.b, "eth0", "02:00:00:00:fe:f2");
  network.ip(hosts.a, "addr", "add", "10.77.0.1/24", "dev", "eth0");
  network.ip(hosts.b, "addr", "add", "10.77.0.2/24", "dev", "eth0");
  network.cable(hosts.a, "ha", "10.99.0.1/24", hosts.b, "ha", "10.99.0.2/24");

  const start = (name: "a" | "b") => network.engine(hosts[name], toml(mode, seconds), name);
  const [a, b] = await Promise.all([start("a"), start("b")]);
  const { address, code } = a.leasectl("ha", "pair") as HaInvitation;
  b.leasectl("ha", "join", address, code);
  await until("both in normal", () => stateIs(a, "normal")() && stateIs(b, "normal")());
  // Before that only the primary gives addresses to new clients.
  await until("the plan agreed upon", () => [a, b].every((each) => statusOf(each).plan?.agreed));
  let clients = 0;
  const client = (mac: string) => {
    const host = network.host(`c${clients++}`);
    network.plug(segment, "br0", host, "eth0", mac);
    return host;
  };
  const known = dhcpClients(network, programs);
  return {
    network,
    segment,
    hosts,
    a,
    b,
    start,
    client,
    clients: known,
    /** A new client gets one lease and ends. */
    oneShot: (mac: string) => addressIn(known.udhcpc(client(mac), "eth0").oneShot()),
    bothNormal: (one: RunningEngine, other: RunningEngine) =>
      until("both in normal", () => stateIs(one, "normal")() && stateIs(other, "normal")()),
  };
}

test("the standby takes over from a primary that is killed: clients keep their addresses, new ones get theirs", {
  skip,
  timeout,
}, async (t) => {
  const { network, a, b, start, client, clients, oneShot, bothNormal } = await pairDesk(t, "hot-standby", 20);
  const host = client("02:00:00:00:11:01");
  clients.dhclient(host, "eth0").begin();
  const first = await until("an address", () => network.addressesOf(host, "eth0")[0]);
  const second = oneShot("02:00:00:00:11:02");
  await until("the standby knows both", () => leasesOf(b).length === 2);
  await knowTheSame(a, b);

  a.child.kill("SIGKILL");
  await until("the standby is alone", stateIs(b, "interrupted"));
  const third = oneShot("02:00:00:00:11:03");
  assert.ok(third && third !== first && third !== second);
  // The primary does not answer its renewal: the client asks everyone, and keeps what it has.
  const mac = "02:00:00:00:11:01";
  await until("the standby renews what the primary gave", () => b.renewals(mac) > 0);
  assert.deepEqual(network.addressesOf(host, "eth0"), [first]);

  const back = await start("a");
  await bothNormal(back, b);
  await knowTheSame(back, b);
  const fourth = oneShot("02:00:00:00:11:04");
  assert.equal(new Set([first, second, third, fourth]).size, 4);
});

test("both serve while the link between them is cut, in both directions or in one, never one address twice, and agree when it is healed", {
  skip,
  timeout,
}, async (t) => {
  const { network, hosts, a, b, oneShot, bothNormal } = await pairDesk(t, "load-balancing");
  const macs = Array.from({ length: 7 }, (_, n) => `02:00:00:00:12:0${n}`);
  const given = macs.splice(0, 1).map(oneShot);
  const neighbour = ["10.99.0.2", "dev", "ha"];
  const nobody = ["lladdr", "02:00:00:00:00:99", "nud", "permanent"];
  const cuts = [
    [
      ["link", "set", "ha", "down"],
      ["link", "set", "ha", "up"],
    ],
    // What the primary sends goes to nobody; what the secondary sends arrives.
    [
      ["neigh", "replace", ...neighbour, ...nobody],
      ["neigh", "del", ...neighbour],
    ],
  ] as const;
  for (const [cut, heal] of cuts) {
    network.ip(hosts.a, ...cut);
    await until("both are alone", () => stateIs(a, "interrupted")() && stateIs(b, "interrupted")());
    given.push(...macs.splice(0, 3).map(oneShot));
    network.ip(hosts.a, ...heal);
    await bothNormal(a, b);
    const all = given.length;
    await until("both know all", () => leasesOf(a).length === all && leasesOf(b).length === all);
    await knowTheSame(a, b);
  }
  assert.equal(new Set(given).size, 7, given.join(" "));
  assert.deepEqual([statusOf(a).conflicts, statusOf(b).conflicts], [0, 0]);
});

test("while the cable of the primary to its clients is out, the standby serves them at once", {
  skip,
  timeout,
}, async (t) => {
  const { network, segment, hosts, a, b, oneShot } = await pairDesk(t);
  const port = JSON.parse(network.ip(hosts.a, "-j", "link", "show", "eth0"))[0].link_index as number;
  const cable = (state: "up" | "down") => {
    const ports = JSON.parse(network.ip(segment, "-j", "link", "show")) as {
      ifindex: number;
      ifname: string;
    }[];
    const name = ports.find(({ ifindex }) => ifindex === port)?.ifname as string;
    network.ip(segment, "link", "set", name, state);
  };
  cable("down");
  await until("the standby to be told", () => statusOf(b).peer?.serving === false);
  const first = oneShot("02:00:00:00:14:01");
  assert.ok(first);
  assert.deepEqual(
    b.events("02:00:00:00:14:01").map(({ type, reason }) => [type, reason]),
    [["grant", null]],
  );
  cable("up");
  await until("the standby to be told", () => statusOf(b).peer?.serving === true);
  const second = oneShot("02:00:00:00:14:02");
  assert.ok(second && second !== first);
  assert.deepEqual(
    a.events("02:00:00:00:14:02").map(({ type, reason }) => [type, reason]),
    [["grant", null]],
  );
  await knowTheSame(a, b);
});

test("clients behind a relay are served by one node, and by the other when that one is gone", {
  skip,
  timeout,
}, async (t) => {
  const { network, segment, hosts, a, b, clients } = await pairDesk(t);
  const relay = network.host("r");
  network.plug(segment, "br0", relay, "north", "02:00:00:00:fe:f3");
  network.ip(relay, "addr", "add", "10.77.0.3/24", "dev", "north");
  network.bridge(relay, "south", "10.79.0.1/24");
  for (const host of [hosts.a, hosts.b]) {
    network.ip(host, "route", "add", "10.79.0.0/24", "via", "10.77.0.3", "dev", "eth0");
  }
  const words = ["-4", "-d", "-iu", "north", "-id", "south", "10.77.0.1", "10.77.0.2"];
  const { output } = network.start(relay, programs.dhcrelay as string, words);
  await until("the relay to listen", () => output().includes("Sending on"));
  const oneShot = (name: string, mac: string) => {
    const host = network.host(name);
    network.plug(relay, "south", host, "eth0", mac);
    return addressIn(clients.udhcpc(host, "eth0").oneShot());
  };

  const first = oneShot("ca", "02:00:00:00:15:01");
  assert.match(first ?? "", /^10\.79\.0\./);
  await until("both know it", () => leasesOf(a).length === 1 && leasesOf(b).length === 1);
  const told = (engine: RunningEngine, mac: string) =>
    engine.events(mac).map(({ type, reason }) => [type, reason]);
  assert.deepEqual(told(a, "02:00:00:00:15:01"), [["grant", null]]);
  assert.deepEqual(told(b, "02:00:00:00:15:01"), [["grant", "by-peer"]], "the standby was silent");

  a.child.kill("SIGKILL");
  await until("the standby is alone", stateIs(b, "interrupted"));
  const second = oneShot("cb", "02:00:00:00:15:02");
  assert.match(second ?? "", /^10\.79\.0\./);
  assert.notEqual(second, first);
  assert.deepEqual(told(b, "02:00:00:00:15:02"), [["grant", null]]);
});

test("maintenance hands over to the other, which serves alone, and back", { skip, timeout }, async (t) => {
  const { a, b, oneShot, start, bothNormal } = await pairDesk(t);
  const first = oneShot("02:00:00:00:13:01");
  a.leasectl("ha", "maintenance");
  await until("the other has taken over", stateIs(b, "partner_down"));
  await a.stop();
  const second = oneShot("02:00:00:00:13:02");
  assert.ok(second && second !== first);
  const back = await start("a");
  assert.equal(statusOf(back).state, "maintenance", "a restart does not end it");
  back.leasectl("ha", "resume");
  await bothNormal(back, b);
  await knowTheSame(back, b);
  assert.equal(leasesOf(back).length, 2);
});
