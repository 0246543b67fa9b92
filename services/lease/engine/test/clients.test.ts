import assert from "node:assert/strict";
import { test } from "node:test";
import { debianPrograms } from "./debian-programs.ts";
import { type DhcpClient, dhcpClients } from "./dhcp-clients.ts";
import { type RunningEngine, TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  udhcpc: "udhcpc",
  dhcpcd: "dhcpcd-base",
  "systemd-networkd": "systemd",
});
const skip = "missing" in found ? found.missing : false;
const programs = "missing" in found ? {} : found.paths;

const CONFIG = `
[server]
interfaces = ["br0", "br1"]
[lease]
default_time = 30
min_time = 30
max_time = 30
[[subnet]]
network = "10.77.0.0/24"
options = { routers = ["10.77.0.1"] }
[[subnet.pool]]
range = "10.77.0.100 - 10.77.0.199"
[[subnet]]
network = "10.78.0.0/24"
[[subnet.pool]]
range = "10.78.0.100 - 10.78.0.199"
`;

/** Get, renew, rebind, release, get again: each step is over when the server's history shows it. */
async function life(
  network: TestNetwork,
  engine: RunningEngine,
  host: string,
  mac: string,
  server: string,
  client: DhcpClient,
) {
  const types = () => engine.events(mac).map(({ type }) => type);
  const seen = (what: string, ...expected: string[]) =>
    until(
      () => `${host} to ${what}; so far: ${types()}\n${network.outputOf(host)}`,
      () => types().join() === expected.join() || undefined,
    );
  client.begin();
  await seen("get an address", "grant");
  const [granted] = engine.events(mac);
  assert.ok(granted);
  await until(`${host} to use it`, () => network.addressesOf(host, "eth0").includes(granted.ip));
  await seen("renew", "grant", "renew");
  // What is sent to the server alone no longer reaches it: the client must ask everyone.
  network.ip(
    host,
    "neigh",
    "replace",
    server,
    "lladdr",
    "02:de:ad:00:00:00",
    "dev",
    "eth0",
    "nud",
    "permanent",
  );
  await seen("rebind", "grant", "renew", "renew");
  network.ip(host, "neigh", "del", server, "dev", "eth0");
  client.release();
  await seen("release", "grant", "renew", "renew", "release");
  client.begin();
  await until(
    `${host} to get an address again`,
    () => types().filter((type) => type === "grant").length === 2,
  );
  assert.equal(engine.events(mac).at(-1)?.ip, granted.ip, "the same address as before");
}

test("dhclient, udhcpc, dhcpcd and systemd-networkd get, renew, rebind, release and get again, on two interfaces at once, with and without the broadcast flag", {
  skip,
  timeout: 200_000,
}, async (t) => {
  const network = new TestNetwork(t);
  const clients = dhcpClients(network, programs);
  const server = network.host("s");
  network.bridge(server, "br0", "10.77.0.1/24");
  network.bridge(server, "br1", "10.78.0.1/24");
  const engine = await network.engine(server, CONFIG);
  const lives: Array<[name: string, bridge: string, mac: string, make: (host: string) => DhcpClient]> = [
    ["dc", "br0", "02:00:00:00:01:01", (host) => clients.dhclient(host, "eth0")],
    ["db", "br1", "02:00:00:00:01:02", (host) => clients.dhclient(host, "eth0", { broadcast: true })],
    ["ud", "br0", "02:00:00:00:01:03", (host) => clients.udhcpc(host, "eth0")],
    ["ub", "br1", "02:00:00:00:01:04", (host) => clients.udhcpc(host, "eth0", ["-B"])],
    ["cd", "br0", "02:00:00:00:01:05", (host) => clients.dhcpcd(host, "eth0")],
    ["cb", "br1", "02:00:00:00:01:06", (host) => clients.dhcpcd(host, "eth0", ["-J"])],
    ["nd", "br0", "02:00:00:00:01:07", (host) => clients.networkd(host, "eth0")],
    ["nb", "br1", "02:00:00:00:01:08", (host) => clients.networkd(host, "eth0", "RequestBroadcast=yes")],
  ];
  await Promise.all(
    lives.map(async ([name, bridge, mac, make]) => {
      const host = network.host(name);
      network.plug(server, bridge, host, "eth0", mac);
      await life(network, engine, host, mac, bridge === "br0" ? "10.77.0.1" : "10.78.0.1", make(host));
    }),
  );
  assert.equal(engine.child.exitCode, null, engine.output());
});
