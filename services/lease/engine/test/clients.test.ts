import assert from "node:assert/strict";
import { test } from "node:test";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { type DhcpClient, dhcpClients } from "./dhcp-clients.ts";
import { type RunningEngine, TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  udhcpc: "udhcpc",
  dhcpcd: "dhcpcd-base",
  "systemd-networkd": "systemd",
  dhcrelay: "isc-dhcp-relay",
});
const skip = "missing" in found ? found.missing : false;
const programs: Record<string, string> = "missing" in found ? {} : found.paths;

/** Long enough that a client on a busy machine has some seconds left for its rebind before its lease runs out. */
const CONFIG = `
[server]
interfaces = ["br0", "br1", "far"]
[lease]
default_time = 60
min_time = 60
max_time = 60
[[subnet]]
network = "10.77.0.0/24"
options = { routers = ["10.77.0.1"] }
[[subnet.pool]]
range = "10.77.0.100 - 10.77.0.199"
[[subnet]]
network = "10.78.0.0/24"
[[subnet.pool]]
range = "10.78.0.100 - 10.78.0.199"
[[subnet]]
network = "10.79.0.0/24"
[[subnet.pool]]
range = "10.79.0.100 - 10.79.0.199"
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
  // dhcrelay also relays what its host only forwards, by the address of its other side, where the server trusts no relay.
  const types = () =>
    engine.events(mac).flatMap(({ type, reason }) => (reason === "untrusted-relay" ? [] : [type]));
  const story = () => `so far: ${types()}, ${engine.renewals(mac)} renewals\n${network.outputOf(host)}`;
  const seen = (what: string, ...expected: string[]) =>
    until(
      () => `${host} to ${what}; ${story()}`,
      () => types().join() === expected.join() || undefined,
    );
  const renewed = (what: string, more: (renewals: number) => boolean) =>
    until(
      () => `${host} to ${what}; ${story()}`,
      () => more(engine.renewals(mac)) || undefined,
    );
  client.begin();
  await seen("get an address", "grant");
  const [granted] = engine.events(mac);
  assert.ok(granted);
  await until(`${host} to use it`, () => network.addressesOf(host, "eth0").includes(granted.ip ?? ""));
  await renewed("renew", (renewals) => renewals > 0);
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
  const before = engine.renewals(mac);
  await renewed("rebind", (renewals) => renewals > before);
  // With its address the kernel would have forgotten this as well: it was kept all the time.
  network.ip(host, "neigh", "del", server, "dev", "eth0");
  client.release();
  await until(
    () => `${host} to release; ${story()}`,
    () => types().at(-1) === "release",
  );
  client.begin();
  await until(
    `${host} to get an address again`,
    () => types().filter((type) => type === "grant").length === 2 || undefined,
  );
  const grants = engine.events(mac).filter(({ type }) => type === "grant");
  assert.equal(grants.at(-1)?.ip, granted.ip, "the same address as before");
}

/** A host between the server and a switch with clients. */
function relayHost(network: TestNetwork, server: string): string {
  const host = network.host("r");
  network.cable(server, "far", "10.80.0.1/24", host, "north", "10.80.0.2/24");
  network.bridge(host, "south", "10.79.0.1/24");
  network.run(host, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
  network.ip(server, "route", "add", "10.79.0.0/24", "via", "10.80.0.2");
  return host;
}

async function startRelay(network: TestNetwork, host: string): Promise<void> {
  const words = ["-4", "-d", "-a", "-i", "south", "-i", "north", "10.80.0.1"];
  const { output } = network.start(host, programs.dhcrelay as string, words);
  await until("the relay to listen", () => output().includes("Sending on"));
}

test("dhclient, udhcpc, dhcpcd and systemd-networkd get, renew, rebind, release and get again, on two interfaces at once, with and without the broadcast flag, and through a relay", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const network = new TestNetwork(t);
  const clients = dhcpClients(network, programs);
  const server = network.host("s");
  network.bridge(server, "br0", "10.77.0.1/24");
  network.bridge(server, "br1", "10.78.0.1/24");
  const relayed = relayHost(network, server);
  const engine = await network.engine(server, CONFIG);
  await startRelay(network, relayed);
  // The switch a client is on, and whom it asks when it asks the server alone.
  const [first, second, behind] = [
    { host: server, bridge: "br0", nextHop: "10.77.0.1" },
    { host: server, bridge: "br1", nextHop: "10.78.0.1" },
    { host: relayed, bridge: "south", nextHop: "10.79.0.1" },
  ];
  const lives: Array<[name: string, place: typeof first, make: (host: string) => DhcpClient]> = [
    ["dc", first, (host) => clients.dhclient(host, "eth0")],
    ["db", second, (host) => clients.dhclient(host, "eth0", { broadcast: true })],
    ["dr", behind, (host) => clients.dhclient(host, "eth0")],
    ["ud", first, (host) => clients.udhcpc(host, "eth0")],
    ["ub", second, (host) => clients.udhcpc(host, "eth0", ["-B"])],
    ["ur", behind, (host) => clients.udhcpc(host, "eth0")],
    ["cd", first, (host) => clients.dhcpcd(host, "eth0")],
    ["cb", second, (host) => clients.dhcpcd(host, "eth0", ["-J"])],
    ["cr", behind, (host) => clients.dhcpcd(host, "eth0")],
    ["nd", first, (host) => clients.networkd(host, "eth0")],
    ["nb", second, (host) => clients.networkd(host, "eth0", "RequestBroadcast=yes")],
    ["nr", behind, (host) => clients.networkd(host, "eth0")],
  ];
  await Promise.all(
    lives.map(async ([name, place, make], i) => {
      const host = network.host(name);
      const mac = `02:00:00:00:01:${(i + 1).toString(16).padStart(2, "0")}`;
      network.plug(place.host, place.bridge, host, "eth0", mac);
      if (place === behind)
        network.ip(host, "route", "add", "10.80.0.0/24", "via", place.nextHop, "dev", "eth0", "onlink");
      await life(network, engine, host, mac, place.nextHop, make(host));
    }),
  );
  assert.equal(engine.child.exitCode, null, engine.output());
});
