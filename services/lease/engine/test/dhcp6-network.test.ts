import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { EventPage } from "@frontdesk/lease-control-api/schemas";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { dhcp6Clients } from "./dhcp6-clients.ts";
import { type RunningEngine, TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  dhcpcd: "dhcpcd-base",
  curl: "curl",
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
const LONG_LAN = LAN.replace(
  "preferred_time = 20\nvalid_time = 60",
  "preferred_time = 2000\nvalid_time = 6000",
);
const ON_BRIDGE = `[server]\ninterfaces = ["br0"]\n`;

const leasesOf = (engine: RunningEngine) => engine.leases("active");
const eventsOf = (engine: RunningEngine) => (engine.ask("/v1/events?limit=100") as EventPage).items.reverse();

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
  /** dhclient -6 with what it asked for. */
  const bound = async (host: string, flags: string[], conf = "") => {
    const dhclient = clients.dhclient(host, "eth0", flags, conf);
    const { child, output } = dhclient.begin();
    await until(
      () => `dhclient to be bound:\n${output()}`,
      () => told(host).includes("BOUND6"),
    );
    const kill = async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    return { ...dhclient, output, kill };
  };
  return { network, server, client, clients, told, bound };
}

test("dhclient -6 gets two addresses and a prefix in one exchange, renews all of them and gives them back", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, told, bound } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:01");
  const { output, release } = await bound(host, ["-N", "-N", "-P"]);
  const held = leasesOf(engine);
  assert.equal(held.length, 3);
  assert.equal(held.filter(({ ip }) => /^fd77:1:.*\/56$/.test(ip)).length, 1);
  const all = ["new_dhcp6_name_servers=fd77::53", ...held.map(({ ip }) => ip)];
  await until(
    () => `${all} to be told:\n${told(host)}`,
    () => all.every((each) => told(host).includes(each)),
  );
  await until(
    () => `dhclient to renew:\n${output()}`,
    // A renewal of an address is counted, one of a prefix is told.
    () =>
      leasesOf(engine).every(({ ip, renewals }) => ip.includes("/") || renewals > 0) &&
      eventsOf(engine).some(({ type }) => type === "renew"),
  );
  release();
  await until("the leases to be released", () => leasesOf(engine).length === 0);
  assert.equal(engine.leases().filter(({ state }) => state === "released").length, 3);
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
  assert.deepEqual(engine.leases(), []);
});

test("DHCPv6 goes on after IPv6 was off on the link: by its MTU, by the system's setting, or with the link itself", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, bound } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LAN);
  const host = await client("c", "02:00:00:00:00:0b");
  const link = (...words: string[]) => network.ip(server, "link", "set", "br0", ...words);
  const ipv6 = (isOff: 0 | 1) =>
    network.run(server, "sh", "-c", `echo ${isOff} > /proc/sys/net/ipv6/conf/br0/disable_ipv6`);
  const health = () => network.run(server, "curl", "--silent", "http://127.0.0.1:31076/healthz");
  const goesOn = async () => {
    network.ip(server, "addr", "replace", "fd77::1/64", "dev", "br0", "nodad");
    await until("DHCPv6 to be served", () => {
      const groups = network.run(server, "cat", "/proc/net/igmp6").match(/ br0 +ff0[25]0+1000[23] /g);
      return groups?.length === 2 && health() === '{"status":"ok"}';
    });
    const { release, kill } = await bound(host, ["-N"]);
    release();
    await kill();
  };
  link("mtu", "1200");
  await until("the reason to be told", () =>
    health().includes('DHCPv6 cannot be served on the interface \\"br0\\"'),
  );
  link("mtu", "1500");
  await goesOn();
  assert.match(engine.output(), /the interface is back/);
  ipv6(1);
  ipv6(0);
  await goesOn();
  link("down");
  link("up");
  await goesOn();
});

test("a client that starts anew confirms its address, and keeps it (CONFIRM)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, bound } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LONG_LAN);
  const host = await client("c", "02:00:00:00:00:03");
  const { again: startAgain, kill } = await bound(host, ["-N"]);
  const [lease] = leasesOf(engine);
  await kill();
  const again = startAgain();
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

test("a client that comes to another link is told so, and gets an address there (CONFIRM, NotOnLink)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, bound } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LONG_LAN);
  const host = await client("c", "02:00:00:00:00:07");
  const { again: startAgain, kill } = await bound(host, ["-N"]);
  await kill();
  // What was fd77::/64 is another link now, as after a cable was moved.
  network.ip(server, "-6", "addr", "flush", "dev", "br0", "scope", "global");
  network.ip(server, "-6", "addr", "add", "fd88::1/64", "dev", "br0", "nodad");
  writeFileSync(engine.config, ON_BRIDGE + LONG_LAN.replaceAll("fd77:", "fd88:"));
  engine.leasectl("reload");
  const again = startAgain();
  await until(
    () => `an address of the other link:\n${again.output()}\n${engine.output()}`,
    () => leasesOf(engine).some(({ ip }) => ip.startsWith("fd88::")),
  );
  await until(
    () => `the client to have been told:\n${again.output()}`,
    () => /Confirm on eth0[\s\S]*NotOnLink/.test(again.output()),
  );
});

test("without an answer to its RENEW a client asks any server, and keeps its address (REBIND)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, told, bound } = desk(t);
  const toml = ON_BRIDGE + LAN.replace("preferred_time = 20", "preferred_time = 10");
  const first = await network.engine(server, toml);
  const host = await client("c", "02:00:00:00:00:08");
  const { output } = await bound(host, ["-N"]);
  const [lease] = leasesOf(first);
  await first.stop();
  await until(
    () => `dhclient to ask any server:\n${output()}`,
    () => output().includes("Forming Rebind"),
  );
  const again = await network.engine(server, toml);
  await until(
    () => `the client to be answered:\n${output()}`,
    () => told(host).includes("REBIND6"),
  );
  assert.deepEqual(
    leasesOf(again).map(({ ip }) => ip),
    [lease?.ip],
  );
});

test("an address that another host on the link uses is declined by its client, and rests (DECLINE)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const one = LAN.replace("fd77::ffff:ffff:ffff:ffff", "fd77::1000");
  const engine = await network.engine(server, ON_BRIDGE + one);
  const squatter = await client("q", "02:00:00:00:00:09");
  network.ip(squatter, "-6", "addr", "add", "fd77::1000/64", "dev", "eth0", "nodad");
  const host = await client("c", "02:00:00:00:00:0a");
  const { output } = clients.dhclient(host, "eth0", ["-N"]).begin();
  await until(
    () => `the address to be declined:\n${output()}\n${engine.output()}`,
    () => engine.leases().some(({ ip, state }) => ip === "fd77::1000" && state === "declined"),
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

test("dhcpcd renews at once when it is told to (RECONFIGURE)", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const engine = await network.engine(server, ON_BRIDGE + LONG_LAN);
  const host = await client("c", "02:00:00:00:00:14");
  const conf = "duid\nnoipv6rs\nipv6only\noption dhcp6_name_servers, dhcp6_reconfigure_accept\nia_na 1\n";
  const { output } = clients.dhcpcd(host, "eth0", conf).begin();
  // It hears nothing before it has made sure that the address is its own.
  await until(
    () => `dhcpcd to have an address:\n${output()}\n${engine.output()}`,
    () => output().includes("DAD completed"),
  );
  assert.match(output(), /accepted reconfigure key/);
  const [held] = leasesOf(engine);
  engine.leasectl("force-renew", held?.ip ?? "");
  await until(
    () => `dhcpcd to renew:\n${output()}\n${engine.output()}`,
    () => leasesOf(engine)[0]?.renewals === 1 && output().includes("RECONFIGURE6 from"),
  );
});

test("dhclient -6 with rapid commit has its address after two messages", { skip, timeout }, async (t) => {
  const { network, server, client, bound } = desk(t);
  const toml = LAN.replace("enabled = true", "enabled = true\nrapid_commit = true");
  const engine = await network.engine(server, ON_BRIDGE + toml);
  const host = await client("c", "02:00:00:00:00:06");
  const { output } = await bound(host, ["-N"], "send dhcp6.rapid-commit;\n");
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
    for (const relay of relays)
      network.run(relay, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding");
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
