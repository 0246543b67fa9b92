import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { dhcpClients } from "./dhcp-clients.ts";
import { TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({
  ip: "iproute2",
  dhclient: "isc-dhcp-client",
  udhcpc: "udhcpc",
  dhcpcd: "dhcpcd-base",
  dhcrelay: "isc-dhcp-relay",
});
const skip = "missing" in found ? found.missing : false;
const programs = "missing" in found ? ({} as Record<string, string>) : found.paths;
const timeout = 120_000;

const subnet = (third: number) => `
[[subnet]]
network = "10.${third}.0.0/24"
options = { routers = ["10.${third}.0.1"] }
[[subnet.pool]]
range = "10.${third}.0.100 - 10.${third}.0.199"
`;
const ON_BRIDGE = `[server]\ninterfaces = ["br0"]\n`;

function desk(t: Pick<TestContext, "after">) {
  const network = new TestNetwork(t);
  const server = network.host("s");
  network.bridge(server, "br0", "10.77.0.1/24");
  const client = (name: string, mac: string) => {
    const host = network.host(name);
    network.plug(server, "br0", host, "eth0", mac);
    return host;
  };
  return { network, server, client, clients: dhcpClients(network, programs) };
}

test("a client behind a relay gets an address of its own network, and the relay is in its history", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const clients = dhcpClients(network, programs);
  const [server, relay, client] = [network.host("s"), network.host("r"), network.host("c")];
  network.cable(server, "north", "10.77.0.1/24", relay, "north", "10.77.0.2/24");
  network.cable(relay, "south", "10.79.0.1/24", client, "eth0");
  network.ip(server, "route", "add", "10.79.0.0/24", "via", "10.77.0.2");
  const engine = await network.engine(server, `[server]\ninterfaces = ["north"]\n${subnet(77)}${subnet(79)}`);
  const { output } = network.start(relay, programs.dhcrelay as string, [
    "-4",
    "-d",
    "-a",
    "-i",
    "south",
    "-i",
    "north",
    "10.77.0.1",
  ]);
  await until("the relay to listen", () => output().includes("Sending on"));
  const told = clients.udhcpc(client, "eth0").oneShot();
  assert.match(told, /^ip=10\.79\.0\.1\d\d$/m);
  assert.match(told, /^router=10\.79\.0\.1$/m);
  const [lease] = engine.leasectl("leases") as Array<{ relay: string; circuit_id: string; subnet: string }>;
  assert.deepEqual([lease?.relay, lease?.circuit_id, lease?.subnet], ["10.79.0.1", "south", "10.79.0.0/24"]);
});

test("what a client would get is told by the interface that it is heard through", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, near, far] = [network.host("s"), network.host("n"), network.host("f")];
  network.cable(server, "first", "10.77.0.1/24", near, "eth0");
  network.cable(server, "second", "10.79.0.1/24", far, "eth0");
  network.ip(server, "-6", "addr", "add", "fd77::1/64", "dev", "first", "nodad");
  network.ip(server, "-6", "addr", "add", "fd79::1/64", "dev", "second", "nodad");
  const subnet6 = (prefix: string) =>
    `[[subnet]]\nnetwork = "${prefix}::/64"\n[[subnet.pool]]\nrange = "${prefix}::1000 - ${prefix}::1fff"\n`;
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["first", "second"]\n[dhcpv6]\nenabled = true\n${subnet(77)}${subnet(79)}${subnet6("fd77")}${subnet6("fd79")}`,
  );
  const told = (...words: string[]) =>
    (engine.leasectl("explain", ...words) as { reply: { ip: string } }).reply.ip;
  const [mac, duid] = ["02:00:00:00:09:01", "00030001020000000901"];
  assert.match(told(mac), /^10\.77\./);
  assert.match(told(mac, "--interface", "second"), /^10\.79\./);
  assert.match(told(mac, "--interface", "gone"), /^10\.77\./);
  assert.match(told("--duid", duid), /^fd77:/);
  assert.match(told("--duid", duid, "--interface", "second"), /^fd79:/);
  assert.match(told("--duid", duid, "--iaid", "7", "--interface", "gone"), /^fd77:/);
});

test("boot options differ by architecture, a reservation and a class apply", { skip, timeout }, async (t) => {
  const { network, server, client, clients } = desk(t);
  await network.engine(
    server,
    `${ON_BRIDGE}
[[class]]
name = "uefi"
match = "option[93] == 0x0007"
next_server = "10.77.0.3"
options = { boot_file_name = "ipxe.efi" }
[[class]]
name = "bios"
match = "option[93] == 0x0000"
options = { boot_file_name = "undionly.kpxe" }
[[class]]
name = "phones"
match = 'vendor_class starts_with "phone"'
options = { ntp_servers = ["10.77.0.4"] }
${subnet(77)}
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "02:00:00:00:02:04"
hostname = "door"
`,
  );
  const told = (name: string, mac: string, ...flags: string[]) =>
    clients.udhcpc(client(name, mac), "eth0", flags).oneShot();
  const uefi = told("a", "02:00:00:00:02:01", "-x", "0x5d:0007");
  assert.match(uefi, /^boot_file=ipxe\.efi$/m);
  assert.match(uefi, /^siaddr=10\.77\.0\.3$/m);
  assert.match(told("b", "02:00:00:00:02:02", "-x", "0x5d:0000"), /^boot_file=undionly\.kpxe$/m);
  assert.match(told("p", "02:00:00:00:02:03", "-V", "phone-7", "-O", "ntpsrv"), /^ntpsrv=10\.77\.0\.4$/m);
  const door = told("d", "02:00:00:00:02:04", "-O", "hostname");
  assert.match(door, /^ip=10\.77\.0\.50$/m);
  assert.match(door, /^hostname=door$/m);
});

test("a client that comes from another network is told to move, and does", { skip, timeout }, async (t) => {
  const { network, server, client, clients } = desk(t);
  const engine = await network.engine(server, `${ON_BRIDGE}${subnet(77)}`);
  const mac = "02:00:00:00:03:01";
  const host = client("c", mac);
  const leases = `lease {
  interface "eth0";
  fixed-address 192.168.5.5;
  option subnet-mask 255.255.255.0;
  option dhcp-lease-time 864000;
  option dhcp-server-identifier 192.168.5.1;
  renew 0 2036/01/01 00:00:00;
  rebind 0 2036/01/01 00:00:00;
  expire 0 2036/01/01 00:00:00;
}
`;
  clients.dhclient(host, "eth0", { leases }).begin();
  await until(
    () => `the client to move: ${JSON.stringify(engine.events(mac))}\n${network.outputOf(host)}`,
    () =>
      engine
        .events(mac)
        .map(({ type }) => type)
        .join() === "nak,grant",
  );
  await until("it to use the new address", () =>
    network.addressesOf(host, "eth0").some((each) => each.startsWith("10.77.0.")),
  );
});

test("two servers on a segment do not fight: a client stays with the one it chose", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const second = client("t", "02:00:00:00:04:02");
  network.ip(second, "addr", "add", "10.77.0.2/24", "dev", "eth0");
  const times = "[lease]\ndefault_time = 30\nmin_time = 30\n";
  const one = await network.engine(server, `${ON_BRIDGE}${times}${subnet(77)}`, "one");
  const other = await network.engine(
    second,
    `[server]\ninterfaces = ["eth0"]\n${times}${subnet(77).replace("100", "20").replace("199", "99")}`,
    "other",
  );
  const mac = "02:00:00:00:04:01";
  const host = client("c", mac);
  const udhcpc = clients.udhcpc(host, "eth0");
  udhcpc.begin();
  const all = () => [...one.events(mac), ...other.events(mac)].map(({ type }) => type);
  await until(
    () => `a renewal, after ${all()}`,
    () => one.renewals(mac) + other.renewals(mac) > 0,
  );
  assert.deepEqual(all(), ["grant"]);
  assert.ok(
    one.events(mac).length === 0 || other.events(mac).length === 0,
    "one server alone has the client",
  );
});

test("an address that someone else uses is not offered, and is in quarantine", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const squatter = client("q", "02:00:00:00:05:02");
  network.ip(squatter, "addr", "add", "10.77.0.100/24", "dev", "eth0");
  const engine = await network.engine(
    server,
    `${ON_BRIDGE}[lease]\nprobe = true\n${subnet(77).replace("10.77.0.199", "10.77.0.101")}`,
  );
  const host = client("c", "02:00:00:00:05:01");
  const told = clients.udhcpc(host, "eth0", ["-r", "10.77.0.100"]).oneShot();
  assert.match(told, /^ip=10\.77\.0\.101$/m);
  const leases = engine.leasectl("leases", "--all") as Array<{ ip: string; state: string }>;
  assert.deepEqual(
    leases.map(({ ip, state }) => [ip, state]),
    [
      ["10.77.0.100", "declined"],
      ["10.77.0.101", "active"],
    ],
  );
});

test("a released lease and a reload through leasectl; a bad configuration leaves the running one", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  const engine = await network.engine(server, `${ON_BRIDGE}${subnet(77)}`);
  const host = client("c", "02:00:00:00:07:01");
  const told = clients.udhcpc(host, "eth0").oneShot();
  const ip = /^ip=(.*)$/m.exec(told)?.[1] ?? "";
  assert.equal((engine.leasectl("leases") as unknown[]).length, 1);
  engine.leasectl("release", ip);
  assert.deepEqual(engine.leasectl("leases"), []);
  const good = readFileSync(engine.config, "utf8");
  writeFileSync(engine.config, `${good}[lease]\ndefault_tim = 5\n`);
  assert.throws(
    () => engine.leasectl("reload"),
    (error: { stdout: string }) => /did you mean default_time/.test(error.stdout),
  );
  writeFileSync(engine.config, `${good}[lease]\ndefault_time = 4321\n`);
  engine.leasectl("reload");
  const explained = engine.leasectl("explain", "02:00:00:00:07:01") as { reply: { lease_time: number } };
  assert.equal(explained.reply.lease_time, 4321);
});

test("once its sockets are open, the engine is the user it was told to be, and goes on serving", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client, clients } = desk(t);
  chmodSync(network.folder, 0o755);
  const engine = await network.engine(server, `${ON_BRIDGE}run_as = "nobody"\n${subnet(77)}`);
  const status = readFileSync(`/proc/${engine.child.pid}/status`, "utf8");
  assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
  assert.match(status, /^CapEff:\s+0+$/m);
  assert.match(status, /^NoNewPrivs:\s+1$/m);
  assert.match(clients.udhcpc(client("c", "02:00:00:00:08:01"), "eth0").oneShot(), /^ip=10\.77\.0\.1\d\d$/m);
  assert.equal((engine.leasectl("leases") as unknown[]).length, 1);
  engine.leasectl("reload");
  const log = join(dirname(engine.config), "lease/engine/engine.log");
  await until("the log to tell of it", () => readFileSync(log, "utf8").includes("configuration applied"));
  await engine.stop();
  assert.equal(engine.child.exitCode, 0, engine.output());
});
