import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { Lease } from "@frontdesk/lease-control-api/schemas";
import { debianPrograms } from "./debian-programs.ts";
import { dhcp6Clients } from "./dhcp6-clients.ts";
import { type RunningEngine, TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  dhcpcd: "dhcpcd-base",
  dhcrelay: "isc-dhcp-relay",
  "systemd-networkd": "systemd",
});
const skip = "missing" in found ? found.missing : false;
const programs = "missing" in found ? ({} as Record<string, string>) : found.paths;
const timeout = 120_000;

const LAN = `
[dhcpv6]
enabled = true
preferred_time = 20
valid_time = 60
options = { dns_servers = ["fd77::53"] }
[[subnet]]
network = "fd77::/64"
  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"
  [[subnet.prefix_pool]]
  prefix = "fd77:1::/48"
  delegated_length = 56
  exclude_length = 64
`;
const ON_BRIDGE = `[server]\ninterfaces = ["br0"]\n`;

const leasesOf = (engine: RunningEngine, ...words: string[]) =>
  engine.leasectl("leases", ...words) as Lease[];
const eventsOf = (engine: RunningEngine) =>
  (engine.leasectl("events") as Array<{ type: string; ip: string }>).reverse();

/** A client cannot speak before its address on the link is known to be its own (RFC 4862 section 5.4). */
async function linkReady(network: TestNetwork, host: string): Promise<void> {
  await until("the link's own address", () => {
    const shown = network.ip(host, "-6", "addr", "show", "dev", "eth0", "scope", "link");
    return shown.includes("inet6") && !shown.includes("tentative");
  });
}

function desk(t: Pick<TestContext, "after">) {
  const network = new TestNetwork(t);
  const server = network.host("s");
  network.bridge(server, "br0", "fd77::1/64");
  const clients = dhcp6Clients(network, programs);
  const client = async (name: string, mac: string) => {
    const host = network.host(name);
    network.plug(server, "br0", host, "eth0", mac);
    await linkReady(network, host);
    return host;
  };
  const told = (host: string) =>
    existsSync(clients.log(host)) ? readFileSync(clients.log(host), "utf8") : "";
  return { network, server, client, clients, told };
}

test("dhclient -6 gets two addresses and a prefix in one exchange, renews all of them and gives them back", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients, told } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:01");
  const dhclient = clients.dhclient(host, "eth0", ["-N", "-N", "-P"]);
  const { output } = dhclient.begin();
  await until(
    () => `dhclient to be bound:\n${output()}\n${engine.output()}`,
    () => told(host).includes("BOUND6"),
  );
  assert.match(told(host), /new_dhcp6_name_servers=fd77::53/);
  const held = leasesOf(engine);
  assert.equal(held.length, 3);
  assert.equal(held.filter(({ ip }) => /^fd77:1:.*\/56$/.test(ip)).length, 1);
  for (const { ip } of held) assert.ok(told(host).includes(ip), `${ip} was not told`);
  await until(
    () => `dhclient to renew:\n${output()}`,
    // A renewal of an address is counted, one of a prefix is told.
    () =>
      leasesOf(engine).every(({ ip, renewals }) => ip.includes("/") || renewals > 0) &&
      eventsOf(engine).some(({ type }) => type === "renew"),
  );
  dhclient.release();
  await until("the leases to be released", () => leasesOf(engine).length === 0);
  assert.equal(leasesOf(engine, "--all").filter(({ state }) => state === "released").length, 3);
  assert.deepEqual(
    eventsOf(engine).flatMap(({ type }) => (type === "renew" ? [] : [type])),
    ["grant", "grant", "grant", "release", "release", "release"],
  );
});

test("dhclient -6 -S gets options alone", { skip, timeout }, async (t) => {
  const { network, server, client, clients, told } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:02");
  const { output } = clients.dhclient(host, "eth0", ["-S"]).begin();
  await until(
    () => `dhclient to be told:\n${output()}`,
    () => told(host).includes("fd77::53"),
  );
  assert.deepEqual(leasesOf(engine, "--all"), []);
});

test("a client that starts anew confirms its address, and keeps it (CONFIRM)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients, told } = desk(t);
  const long = LAN.replace(
    "preferred_time = 20\nvalid_time = 60",
    "preferred_time = 2000\nvalid_time = 6000",
  );
  const engine = await network.engine(server, ON_BRIDGE + long);
  const host = await client("c", "02:00:00:00:00:03");
  const dhclient = clients.dhclient(host, "eth0", ["-N"]);
  const first = dhclient.begin();
  await until(
    () => `dhclient to be bound:\n${first.output()}`,
    () => told(host).includes("BOUND6"),
  );
  const [lease] = leasesOf(engine);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const again = dhclient.again();
  await until(
    () => `the address to be confirmed:\n${again.output()}`,
    () => again.output().includes("Bound to lease"),
  );
  assert.match(again.output(), /Confirm on eth0[\s\S]*Success: "all addresses are of this link"/);
  assert.deepEqual(
    leasesOf(engine).map(({ ip }) => ip),
    [lease?.ip],
  );
});

test("dhcpcd gets an address, and a prefix with what it excludes", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:04");
  const conf = "duid\nnoipv6rs\nipv6only\noption dhcp6_name_servers\nia_na 1\nia_pd 2/::/56 eth0/1\n";
  const { output } = clients.dhcpcd(host, "eth0", conf).begin();
  await until(
    () => `dhcpcd to have both:\n${output()}\n${engine.output()}`,
    () => leasesOf(engine).length === 2,
  );
  assert.deepEqual(
    leasesOf(engine).map(({ ip, iaid, state }) => [ip.includes("/56"), iaid, state]),
    [
      [false, 1, "active"],
      [true, 2, "active"],
    ],
  );
  await until(
    () => `dhcpcd to tell:\n${output()}`,
    () => output().includes("delegated prefix"),
  );
  assert.doesNotMatch(output(), /does not support OPTION_PD_EXCLUDE/);
});

test("dhclient -6 with rapid commit has its address after two messages", { skip, timeout }, async (t) => {
  const { network, server, client, clients, told } = desk(t);
  const toml = LAN.replace("enabled = true", "enabled = true\nrapid_commit = true");
  const engine = await network.engine(server, ON_BRIDGE + toml);
  const host = await client("c", "02:00:00:00:00:06");
  const { output } = clients.dhclient(host, "eth0", ["-N"], "send dhcp6.rapid-commit;\n").begin();
  await until(
    () => `dhclient to be bound:\n${output()}`,
    () => told(host).includes("BOUND6"),
  );
  assert.match(output(), /Forming Solicit/);
  assert.doesNotMatch(output(), /Forming Request/);
  assert.equal(leasesOf(engine).length, 1);
});

test("systemd-networkd gets an address", { skip, timeout }, async (t) => {
  const { network, server, client, clients } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:05");
  const { output } = clients.networkd(host, "eth0").begin();
  const [lease] = await until(
    () => `networkd to have an address:\n${output().slice(-3000)}`,
    () => (leasesOf(engine).length > 0 ? leasesOf(engine) : undefined),
  );
  await until(
    () => `the address to be on the interface:\n${output().slice(-3000)}`,
    () => network.ip(host, "-6", "addr", "show", "dev", "eth0").includes(lease?.ip ?? "nothing"),
  );
});

const BEHIND = `
[[subnet]]
network = "fd79::/64"
  [[subnet.pool]]
  range = "fd79::1000 - fd79::ffff"
  [[subnet.prefix_pool]]
  prefix = "fd79:1::/48"
  delegated_length = 64
`;

for (const depth of [1, 2]) {
  test(`a client behind ${depth} of dhcrelay -6 gets an address of its own link, and a prefix`, {
    skip,
    timeout,
  }, async (t) => {
    const network = new TestNetwork(t);
    const clients = dhcp6Clients(network, programs);
    const [server, client] = [network.host("s"), network.host("c")];
    const relays = Array.from({ length: depth }, (_, i) => network.host(`r${i}`));
    // From the server on: fd77 to the first relay, fd78 between the relays, fd79 to the client.
    const hosts = [server, ...relays];
    hosts.forEach((host, i) => {
      const next = relays[i] ?? client;
      const isLast = i === hosts.length - 1;
      const net = isLast ? "fd79" : `fd7${7 + i}`;
      network.cable(
        host,
        "south",
        `${net}::1/64`,
        next,
        isLast ? "eth0" : "north",
        isLast ? undefined : `${net}::2/64`,
      );
    });
    for (const relay of relays) network.run(relay, "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
    network.ip(server, "route", "add", "default", "via", "fd77::2");
    for (const relay of relays.slice(1)) network.ip(relay, "route", "add", "default", "via", "fd78::1");
    const engine = await network.engine(server, `[server]\ninterfaces = ["south"]\n${LAN}${BEHIND}`);
    for (const [i, relay] of relays.entries()) {
      const up = i === 0 ? "fd77::1%north" : "fd78::1%north";
      const words = ["-6", "-d", "-I", "-l", "south", "-u", up];
      const { output } = network.start(relay, programs.dhcrelay as string, words);
      await until(
        () => `relay ${i} to listen:\n${output()}`,
        () => output().includes("Sending on") || output().includes("Bound to"),
      );
    }
    await linkReady(network, client);
    const dhclient = clients.dhclient(client, "eth0", ["-N", "-P"]);
    const { output } = dhclient.begin();
    const told = () => (existsSync(clients.log(client)) ? readFileSync(clients.log(client), "utf8") : "");
    await until(
      () =>
        `dhclient to be bound:\n${output()}\n${relays.map((each) => network.outputOf(each)).join("\n")}\n${engine.output()}`,
      () => told().includes("BOUND6"),
      40_000,
    );
    const leases = leasesOf(engine);
    assert.deepEqual(
      leases.map(({ subnet, relay }) => [subnet, relay]),
      [
        ["fd79::/64", "fd79::1"],
        ["fd79::/64", "fd79::1"],
      ],
    );
    assert.ok(
      leases.every(({ circuit_id }) => circuit_id !== null),
      "the relay's Interface-Id is kept",
    );
    dhclient.release();
    await until("the leases to be released", () => leasesOf(engine).length === 0);
  });
}
