import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Status } from "@frontdesk/lease-control-api/schemas";
import { debianPrograms } from "@frontdesk/testkit/debian";
import { dhcpClients } from "./dhcp-clients.ts";
import { TestNetwork, until } from "./test-network.ts";

const found = debianPrograms({ ip: "iproute2", udhcpc: "udhcpc", curl: "curl" });
const skip = "missing" in found ? found.missing : false;
const programs = "missing" in found ? ({} as Record<string, string>) : found.paths;
const timeout = 120_000;
const SCRIPTS = fileURLToPath(new URL("./device-scripts.ts", import.meta.url));
const subnet = (third: number) =>
  `[[subnet]]\nnetwork = "10.${third}.0.0/24"\n[[subnet.pool]]\nrange = "10.${third}.0.100 - 10.${third}.0.199"\n`;

/** A server whose interface leads to one client. */
function oneLink(t: TestContext) {
  const network = new TestNetwork(t);
  const [server, client] = [network.host("s"), network.host("c")];
  network.cable(server, "lan0", "10.77.0.1/24", client, "eth0");
  return { network, server, client };
}

/** That a client gets an address of the subnet with this third octet. */
function assertServed(network: TestNetwork, host: string, third: number): void {
  const told = dhcpClients(network, programs).udhcpc(host, "eth0").oneShot();
  assert.match(told, new RegExp(`^ip=10\\.${third}\\.0\\.1\\d\\d$`, "m"));
}

const healthOf = (network: TestNetwork, server: string) =>
  network.run(server, "curl", "--silent", "http://127.0.0.1:31076/healthz");

/** How many packets of a loud interface and of a quiet one are in one round, beside interfaces that are not there. */
async function firstRound(t: TestContext, absent: number): Promise<[number, number]> {
  const network = new TestNetwork(t);
  const [server, loud, quiet] = [network.host("s"), network.host("l"), network.host("q")];
  network.cable(server, "lan0", "10.77.0.1/24", loud, "eth0", "10.77.0.9/24");
  network.cable(server, "lan1", "10.78.0.1/24", quiet, "eth0", "10.78.0.9/24");
  const words = [SCRIPTS, "first-round", `${absent}`, "lan0", "lan1"];
  const { child, output } = network.start(server, process.execPath, words, {}, "pipe");
  await until("the interfaces to be open", () => output().includes("open"));
  const flood = (host: string, to: string, count: number) =>
    network.run(
      host,
      process.execPath,
      "-e",
      `const s = require("node:dgram").createSocket("udp4"); let left = ${count};
       for (let i = 0; i < ${count}; i++) s.send("x".repeat(240), 67, "${to}", () => { if (--left === 0) s.close(); });`,
    );
  flood(loud, "10.77.0.1", 2000);
  flood(quiet, "10.78.0.1", 3);
  child.stdin?.write("go\n");
  const counts = await until("the first round", () => /\{.*\}/.exec(output())?.[0]);
  const { lan0 = 0, lan1 = 0 } = JSON.parse(counts) as Record<string, number>;
  return [lan0, lan1];
}

test("a flood on one interface leaves the other its share of the very next round", {
  skip,
  timeout,
}, async (t) => {
  const [loud, quiet] = await firstRound(t, 0);
  assert.equal(quiet, 3);
  assert.ok(loud >= 512, `${loud} of the loud one`);
});

test("also among more interfaces than a round has packets", { skip, timeout }, async (t) => {
  const [loud, quiet] = await firstRound(t, 1100);
  assert.ok(loud > 512 && quiet > 0, `${loud} of the loud one, ${quiet} of the quiet one`);
});

test("a reply that cannot leave at once is given up, and the next one sent", { skip, timeout }, (t) => {
  const { network, server } = oneLink(t);
  const told = network.run(server, process.execPath, SCRIPTS, "send-unanswered", "10.77.0.200");
  const codes = JSON.parse(told) as string[];
  assert.ok(codes.length > 0 && codes.every((code) => code === "EAGAIN"), told);
});

test("an interface that is taken away and made again is served again; meanwhile health says so", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const server = network.host("s");
  const cable = (name: string) => {
    const host = network.host(name);
    network.cable(server, "lan0", "10.77.0.1/24", host, "eth0");
    return host;
  };
  const first = cable("c");
  // As another user, too: what it takes to open an interface again is kept.
  chmodSync(network.folder, 0o755);
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0"]\nrun_as = "nobody"\n${subnet(77)}`,
  );
  assertServed(network, first, 77);
  network.ip(server, "link", "del", "lan0");
  const health = () => {
    try {
      return JSON.stringify(engine.leasectl("health"));
    } catch {
      return "unhealthy";
    }
  };
  await until("health to say so", () => health() === "unhealthy");
  await until("the log to say so", () => engine.output().includes("the interface is gone"));
  await assertAtRest(engine.child.pid);
  const second = cable("d");
  await until("the interface to be back", () => engine.output().includes("the interface is back"));
  assertServed(network, second, 77);
  assert.equal(health(), '{"status":"ok"}');
});

test("with probing on, a link that goes down keeps nobody busy, and an interface without a subnet is told", {
  skip,
  timeout,
}, async (t) => {
  const { network, server } = oneLink(t);
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0"]\n[lease]\nprobe = true\n${subnet(78)}`,
  );
  await until("the interface to be told", () =>
    engine.output().includes("no IPv4 address inside a [[subnet]]"),
  );
  // Who stays root stays able to read the operator's files.
  await until("root to be told", () => engine.output().includes("running as root"));
  assert.doesNotMatch(readFileSync(`/proc/${engine.child.pid}/status`, "utf8"), /^CapEff:\s+0+$/m);
  network.ip(server, "link", "set", "lan0", "down");
  await assertAtRest(engine.child.pid);
});

test("hundreds of interfaces are served, also those that go and come, and the engine stops in good order", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, others] = [network.host("s"), network.host("o")];
  const all = Array.from({ length: 300 }, (_, i) => i);
  const cable = (i: number) => [
    `link add lan${i} type veth peer name c${i} netns ${others}`,
    `addr add 10.${100 + (i >> 8)}.${i & 255}.1/24 dev lan${i}`,
    `link set lan${i} up`,
  ];
  const subnets = all.map((i) => {
    const net = `10.${100 + (i >> 8)}.${i & 255}`;
    return `[[subnet]]\nnetwork = "${net}.0/24"\n[[subnet.pool]]\nrange = "${net}.100 - ${net}.199"\n`;
  });
  const plug = (which: number[]) => {
    network.batch(server, which.flatMap(cable));
    network.batch(
      others,
      which.map((i) => `link set c${i} up`),
    );
  };
  plug(all);
  const names = JSON.stringify(all.map((i) => `lan${i}`));
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ${names}\n[dhcpv6]\nenabled = true\n${subnets.join("")}`,
  );
  const served = (i: number, net: string) => {
    const told = dhcpClients(network, programs).udhcpc(others, `c${i}`).oneShot();
    assert.match(told, new RegExp(`^ip=${net}\\.1\\d\\d$`, "m"));
  };
  served(0, "10.100.0");
  served(299, "10.101.43");
  const gone = [7, 298, 299];
  network.batch(
    server,
    gone.map((i) => `link del lan${i}`),
  );
  const told = (message: string) =>
    engine.output().split(`"msg":"the interface is ${message}"`).length - 1 === gone.length;
  await until("all that went to be told", () => told("gone"));
  plug(gone);
  await until("all of them to be back", () => told("back"));
  served(299, "10.101.43");
  // Each of these would take its time to close, with whatever else waits for it.
  const frames = network.run(server, "cat", "/proc/net/packet").trim().split("\n").length - 1;
  assert.ok(frames <= 2, `${frames} sockets for frames`);
  await engine.stop();
  assert.equal(engine.child.exitCode, 0, engine.output());
});

/** At a hundred ticks of processor time a second, a loop that spins for two seconds uses about two hundred. */
async function assertAtRest(pid: number | undefined): Promise<void> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  const from = Date.now();
  await until("two seconds to pass", () => Date.now() - from > 2000);
  assert.ok(ticks() - before < 100, `${ticks() - before} ticks of processor time at rest`);
}

test("a second engine on an interface does not start", { skip, timeout }, async (t) => {
  const { network, server } = oneLink(t);
  const config = `[server]\ninterfaces = ["lan0"]\n${subnet(77)}`;
  await network.engine(server, config, "one");
  await assert.rejects(
    network.engine(server, config.replace("[server]", '[server]\ncontrol_listen = "127.0.0.1:31080"'), "two"),
    /Port 67 on "lan0" is already in use/,
  );
});

test("an interface is served on while the process has no descriptor left to ask about it with", {
  skip,
  timeout,
}, (t) => {
  const { network, server } = oneLink(t);
  const command = `ulimit -n 128; exec ${process.execPath} ${SCRIPTS} without-descriptors lan0`;
  const told = network.run(server, "sh", "-c", command);
  assert.deepEqual(JSON.parse(told), { taken: true, states: [true] });
});

test("of two interfaces, one that is missing at the start is waited for, and what keeps it from being served is told", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const server = network.host("s");
  const config = (...names: string[]) =>
    `[server]\ninterfaces = ${JSON.stringify(names)}\n[dhcpv6]\nenabled = true\n${subnet(77)}${subnet(78)}`;
  await assert.rejects(
    network.engine(server, config("lan0", "lan1"), "none"),
    /There is no interface "lan0" on this machine: name one of /,
  );
  const first = network.host("c");
  network.cable(server, "lan0", "10.77.0.1/24", first, "eth0");
  const engine = await network.engine(server, config("lan0", "lan1"));
  assertServed(network, first, 77);
  await until("the missing one to be told", () =>
    engine.output().includes('"interface":"lan1","msg":"the interface is gone"'),
  );
  const second = network.host("d");
  // Too narrow for IPv6 (RFC 8200 section 5).
  network.ip(server, ..."link add lan1 mtu 1200 type veth peer name eth0 netns".split(" "), second);
  network.ip(server, ..."addr add 10.78.0.1/24 dev lan1".split(" "));
  network.ip(server, ..."link set lan1 up".split(" "));
  network.ip(second, ..."link set eth0 up".split(" "));
  const health = () => healthOf(network, server);
  await until("the reason to be told", () =>
    health().includes('DHCPv6 cannot be served on the interface \\"lan1\\"'),
  );
  // Of IPv4 it is served.
  assertServed(network, second, 78);
  network.ip(server, ..."link set lan1 mtu 1500".split(" "));
  await until("it to be served", () => health() === '{"status":"ok"}');
});

test("a link that has no IPv6 keeps no engine from starting: IPv4 is served there, and IPv6 once it can be had", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client } = oneLink(t);
  network.ip(server, ..."link set lan0 mtu 1200".split(" "));
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0"]\n[dhcpv6]\nenabled = true\n${subnet(77)}`,
  );
  const told = /"level":50,.*DHCPv6 cannot be served on the interface \\"lan0\\"/;
  await until("the reason to be told", () => told.test(engine.output()));
  assertServed(network, client, 77);
  const health = () => healthOf(network, server);
  assert.match(health(), /DHCPv6 cannot be served/);
  network.ip(server, ..."link set lan0 mtu 1500".split(" "));
  await until("DHCPv6 to be served", () => health() === '{"status":"ok"}');
  const groups = network.run(server, "cat", "/proc/net/igmp6");
  for (const group of ["ff020000000000000000000000010002", "ff050000000000000000000000010003"])
    assert.match(groups, new RegExp(`lan0 +${group}`));
});

test("that IPv6 is off on a link where DHCPv6 is to be served is told, from the start or later; on one of IPv4 alone it may be", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client } = oneLink(t);
  network.cable(server, "lan1", "10.78.0.1/24", client, "eth1");
  network.cable(server, "lan2", "10.79.0.1/24", client, "eth2");
  network.ip(server, ..."addr add fd79::1/64 dev lan2".split(" "));
  const ipv6 = (isOff: 0 | 1, link = "lan0") =>
    network.run(server, "sh", "-c", `echo ${isOff} > /proc/sys/net/ipv6/conf/${link}/disable_ipv6`);
  ipv6(1);
  ipv6(1, "lan1");
  const ofLinks = `[[subnet]]\nnetwork = "fd77::/64"\ninterface = "lan0"\n[[subnet]]\nnetwork = "fd79::/64"\n`;
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0", "lan1", "lan2"]\n[dhcpv6]\nenabled = true\n${subnet(77)}${subnet(78)}${ofLinks}`,
  );
  const health = () => healthOf(network, server);
  const isTold = () =>
    health().includes('DHCPv6 cannot be served on the interface \\"lan0\\": it has no address');
  await until("it to be told", isTold);
  ipv6(0);
  await until("it to be served", () => health() === '{"status":"ok"}');
  ipv6(1);
  await until("it to be told", isTold);
  // Known by its address until now.
  ipv6(1, "lan2");
  const problems = () =>
    (engine.ask("/v1/status") as Status).problems.map((each) => /"lan\d"/.exec(each)?.[0]);
  await until("the other to be told", () => problems().join() === '"lan0","lan2"');
});

test("interfaces that exchange their names are served at once, and one that cannot be served and goes is told as gone", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const server = network.host("s");
  const other = network.host("c");
  network.cable(server, "lan0", "10.77.0.1/24", other, "eth0");
  network.cable(server, "lan1", "10.78.0.1/24", other, "eth1");
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0", "lan1", "lan2"]\n[dhcpv6]\nenabled = true\n${subnet(77)}${subnet(78)}`,
  );
  network.batch(server, [
    ...["link set lan0 down", "link set lan1 down", "link set lan0 name old"],
    ...["link set lan1 name lan0", "link set old name lan1", "link set lan0 up", "link set lan1 up"],
  ]);
  const addresses = () =>
    (engine.ask("/v1/status") as Status).interfaces.map(({ addresses: [first] }) => first);
  await until(
    "the interfaces to be served by their new names",
    () => addresses().join() === "10.78.0.1,10.77.0.1,",
  );
  assert.doesNotMatch(engine.output(), /already in use/);
  const health = () => healthOf(network, server);
  // Too narrow for IPv6 (RFC 8200 section 5).
  network.ip(server, ..."link add lan2 mtu 1200 type bridge".split(" "));
  await until("the reason to be told", () =>
    health().includes('DHCPv6 cannot be served on the interface \\"lan2\\"'),
  );
  network.ip(server, "link", "del", "lan2");
  await until("it to be told as gone", () => health().includes("the interface lan2 is gone"));
});

test("an engine that starts while the cable is out says so, and serves as soon as it is in; so it does later", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, client] = [network.host("s"), network.host("c")];
  network.cable(server, "lan0", "10.77.0.1/24", client, "eth0");
  network.ip(server, ..."addr add fd77::1/64 dev lan0".split(" "));
  const cable = (state: "up" | "down") => network.ip(client, "link", "set", "eth0", state);
  cable("down");
  const v6 = `[[subnet]]\nnetwork = "fd77::/64"\n[[subnet.pool]]\nrange = "fd77::1:0 - fd77::1:ff"\n`;
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0"]\n[dhcpv6]\nenabled = true\n${subnet(77)}${v6}`,
  );
  const health = () => healthOf(network, server);
  const lan0 = () => (engine.ask("/v1/status") as Status).interfaces[0];
  const isOut = () => health().includes("every interface is down or has no carrier: no client is heard");
  await until("it to be told", isOut);
  assert.deepEqual(lan0(), {
    ...{ name: "lan0", served: true, carrier: false },
    addresses: ["10.77.0.1", "fd77::1"],
  });
  cable("up");
  // At once: what it has was known before.
  assertServed(network, client, 77);
  await until("it to be well", () => health() === '{"status":"ok"}');
  const told = () =>
    [...engine.output().matchAll(/"interface":"lan0","msg":"([^"]*)"/g)].map(([, message]) => message);
  await until("it to be told", () => told().length > 1);
  assert.deepEqual(told(), [
    "the interface is down or has no carrier: nobody is heard on its link",
    "the interface is up and has its carrier",
  ]);
  cable("down");
  await until("it to be told", isOut);
  network.ip(server, ..."link set lan0 down".split(" "));
  cable("up");
  network.ip(server, ..."link set lan0 up".split(" "));
  await until("it to be well", () => health() === '{"status":"ok"}');
  assertServed(network, client, 77);
});

test("a subnet on an interface that is not served, which older engines took, is told, and keeps nobody from its address", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client } = oneLink(t);
  const engine = await network.engine(
    server,
    `[server]\ninterfaces = ["lan0"]\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "lan1"\n${subnet(77)}`,
  );
  assertServed(network, client, 77);
  const told = '"lan1" is none of [server] interfaces: write one of them as it is written there.';
  assert.deepEqual((engine.ask("/v1/status") as Status).problems, [`configuration, line 5: ${told}`]);
  assert.ok(engine.output().includes(JSON.stringify(told).slice(1, -1)));
});

test("an interface is named by its own name: others are refused with what to write instead, also while it is served", {
  skip,
  timeout,
}, async (t) => {
  const { network, server } = oneLink(t);
  network.ip(server, "link", "property", "add", "dev", "lan0", "altname", "lan-front");
  const config = (name: string) => `[server]\ninterfaces = ["${name}"]\n${subnet(77)}`;
  await assert.rejects(
    network.engine(server, config("lan-front"), "one"),
    /"lan-front" is another name of the interface "lan0": write "lan0" in \[server\] interfaces\./,
  );
  const engine = await network.engine(server, config("lan0"), "two");
  network.ip(server, "link", "set", "lan0", "down");
  network.ip(server, "link", "set", "lan0", "name", "lan1");
  network.ip(server, "link", "property", "add", "dev", "lan1", "altname", "lan0");
  network.ip(server, "link", "set", "lan1", "up");
  await until("it to be told", () => engine.output().includes("the interface is gone"));
});

test("an interface of another network namespace than that of /sys is served", { skip, timeout }, (t) => {
  const network = new TestNetwork(t);
  const server = network.host("s");
  network.ip(server, ..."link add only-here address 02:00:00:00:00:77 type bridge".split(" "));
  const words = [`--net=/run/netns/${server}`, process.execPath, SCRIPTS, "hardware", "only-here"];
  const told = execFileSync("nsenter", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(told.trim(), "02:00:00:00:00:77");
});

test("what is sent to a client whose interface is gone leaves by the one that its address is on now", {
  skip,
  timeout,
}, (t) => {
  const { network, server } = oneLink(t);
  network.cable(server, "lan1", "10.78.0.1/24", network.host("d"), "eth0");
  const towards = (...words: string[]) =>
    network.run(server, process.execPath, SCRIPTS, "towards", "10.78.0.150", ...words).trim();
  assert.equal(towards("lan0", "lan0", "lan1"), "lan0");
  network.ip(server, "link", "del", "lan0");
  assert.equal(towards("lan0", "lan0", "lan1"), "lan1");
});

test("who answers for an address by ARP is heard on the link of that address alone", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, first, second] = [network.host("s"), network.host("c"), network.host("d")];
  network.cable(server, "lan0", "10.77.0.1/24", first, "eth0");
  network.cable(server, "lan1", "10.78.0.1/24", second, "eth0");
  const claim = (host: string, what: string, address: string) =>
    network.run(host, process.execPath, SCRIPTS, what, "eth0", address);
  const words = [SCRIPTS, "hear", "10.77.0.153", "lan0", "lan1"];
  const { output } = network.start(server, process.execPath, words);
  await until("the interfaces to be open", () => output().includes("open"));
  claim(second, "claim", "10.77.0.150");
  // A VLAN that this machine has no interface for.
  claim(first, "claim-tagged", "10.77.0.151");
  claim(second, "claim", "10.78.0.152");
  claim(first, "claim", "10.77.0.153");
  const heard = await until("what was heard", () => /\[.*\]/.exec(output())?.[0]);
  assert.deepEqual(JSON.parse(heard), ["10.78.0.152", "10.77.0.153"]);
});

test("an answer to a probe is heard among hundreds of links, however many frames come on one that is not served", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, first, second] = [network.host("s"), network.host("c"), network.host("d")];
  network.cable(server, "lan0", "10.77.0.1/24", first, "eth0");
  network.cable(server, "lan1", "10.78.0.1/24", second, "eth0");
  const others = Array.from({ length: 300 }, (_, i) => `other${i}`);
  network.batch(
    server,
    others.map((name) => `link add ${name} type bridge`),
  );
  const { child, output } = network.start(
    server,
    process.execPath,
    [SCRIPTS, "hear-later", "10.77.0.153", ...others, "lan0"],
    {},
    "pipe",
  );
  await until("the interface to be open", () => output().includes("open"));
  // Each takes some 800 octets of a buffer of 16 MiB.
  network.run(second, process.execPath, SCRIPTS, "flood", "eth0", "10.78.0.150", "40000");
  network.run(first, process.execPath, SCRIPTS, "claim", "eth0", "10.77.0.153");
  child.stdin?.write("\n");
  await until("the answer to be heard", () => output().includes('["10.77.0.153"]'), 10_000);
});

test("an answer by echo is heard among as many requests as may come", { skip, timeout }, async (t) => {
  const network = new TestNetwork(t);
  const [server, client] = [network.host("s"), network.host("c")];
  network.cable(server, "lan0", "10.77.0.1/24", client, "eth0", "10.77.0.9/24");
  network.ip(server, ..."route add 10.79.0.0/24 via 10.77.0.9".split(" "));
  network.ip(client, ..."addr add 10.79.0.153/32 dev lo".split(" "));
  const words = [SCRIPTS, "hear-later", "10.79.0.153", "lan0"];
  const { child, output } = network.start(server, process.execPath, words, {}, "pipe");
  await until("the interface to be open", () => output().includes("open"));
  network.run(client, process.execPath, SCRIPTS, "flood-echo", "10.77.0.1", "40000");
  child.stdin?.write("\n");
  await until("the answer to be heard", () => output().includes('["10.79.0.153"]'), 10_000);
});

test("an interface whose hardware address changes while it is served probes from the new one", {
  skip,
  timeout,
}, async (t) => {
  const { network, server, client } = oneLink(t);
  const words = [SCRIPTS, "hear", "10.77.0.153", "lan0"];
  const { output } = network.start(server, process.execPath, words);
  await until("the interface to be open", () => output().includes("open"));
  network.ip(server, "link", "set", "lan0", "address", "02:00:00:00:00:78");
  network.ip(client, "addr", "add", "10.77.0.153/24", "dev", "eth0");
  await until("the holder of the address to be heard", () => output().includes('["10.77.0.153"]'));
});

test("an address that has a label of its own, whatever it is, is one of its interface", {
  skip,
  timeout,
}, async (t) => {
  const network = new TestNetwork(t);
  const [server, client] = [network.host("s"), network.host("c")];
  network.cable(server, "lan0", "10.78.0.1/24", client, "eth0");
  network.ip(server, ..."addr add 10.79.0.1/24 dev lan0 label lan0:1".split(" "));
  network.ip(server, ..."addr add 10.77.0.1/24 dev lan0 label lan0office".split(" "));
  const engine = await network.engine(server, `[server]\ninterfaces = ["lan0"]\n${subnet(77)}`);
  const [lan0] = (engine.ask("/v1/status") as Status).interfaces;
  assert.deepEqual(
    lan0?.addresses.filter((address) => !address.includes(":")),
    ["10.78.0.1", "10.79.0.1", "10.77.0.1"],
  );
  assertServed(network, client, 77);
});

test("a user that cannot reach the state folder is named at the start", { skip, timeout }, async (t) => {
  const { network, server } = oneLink(t);
  await assert.rejects(
    network.engine(server, `[server]\ninterfaces = ["lan0"]\nrun_as = "nobody"\n${subnet(77)}`),
    /The user "nobody" that the engine becomes cannot use/,
  );
});
