import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import type { Config, Scope } from "@frontdesk/lease-config/config";
import type { RawConfig } from "@frontdesk/lease-config/raw-config";
import { readNetworks } from "@frontdesk/lease-config/read-networks";
import { Report } from "@frontdesk/lease-config/shape";
import { ConfigError, parseToml, plainValue } from "@frontdesk/lease-config/toml-document";
import { configOf, parseConfig, parseNewConfig, readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4, parseIpv4 } from "@frontdesk/lease-options/address";

const LAB = `[server]\nlisten = ["127.0.0.1:6767"]\n`;
const SUBNET = `[[subnet]]\nnetwork = "10.77.0.0/16"\n`;

function problemsOf(text: string): string[] {
  try {
    parseNewConfig(text);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.split("\n");
  }
  return [];
}

test("the configuration of the design reads into what it says", () => {
  const config = readConfig(`
[server]
interfaces = ["eth0"]              # bound to the device
metrics_listen = "127.0.0.1:9547"
control_listen = "127.0.0.1:31076"

[lease]
default_time = 3600                # seconds

[[class]]
name = "uefi"
match = "option[93] == 0x0007"
options = { boot_file_name = "ipxe.efi" }

[[subnet]]
network = "10.77.0.0/16"
options = { routers = ["10.77.0.1"], domain_name_servers = ["10.77.0.1"] }

  [[subnet.pool]]
  range = "10.77.1.1 - 10.77.250.250"

  [[subnet.reservation]]
  ip = "10.77.0.50"
  mac = "02:00:00:00:00:50"
  hostname = "door"
`);
  assert.deepEqual(config.interfaces, ["eth0"]);
  assert.deepEqual(config.metricsListen, { host: "127.0.0.1", port: 9547 });
  const [subnet] = config.subnets;
  assert.equal(subnet?.name, "10.77.0.0/16");
  assert.deepEqual([...(subnet?.scope.options.get(3) ?? [])], [10, 77, 0, 1]);
  assert.equal(subnet?.pools[0]?.last, parseIpv4("10.77.250.250"));
  assert.equal(subnet?.network.reservations.get("mac 020000000050")?.hostname, "door");
  assert.equal(config.classes[0]?.name, "uefi");
});

const wrong: Array<[name: string, text: string, ...problems: string[]]> = [
  ["not TOML", `${LAB}control_token = = 3\n`, "line 3, column 17: this is not TOML: "],
  [
    "letters of another encoding",
    `${LAB}# ${Buffer.from("B\xfcro", "latin1").toString("utf8")}\n`,
    "line 3, column 4: the letter here is not UTF-8",
  ],
  [
    "an unknown key",
    `${LAB}[lease]\ndefault_tim = 1\n`,
    "line 4, column 1: default_tim is not a key of lease: did you mean default_time?",
  ],
  [
    "an unknown section",
    `${LAB}[telemetry]\non = true\n`,
    "line 3, column 1: telemetry is not a key of the configuration: the keys are ",
  ],
  [
    "a wrong type",
    `${LAB}[lease]\ndefault_time = "1h"\n`,
    "line 4, column 16: default_time must be a whole number from 1 to 4294967295.",
  ],
  ["no listener", SUBNET, "line 1, column 1: [server] must name interfaces"],
  [
    "both listeners",
    `[server]\nlisten = ["127.0.0.1:1"]\ninterfaces = ["eth0"]\n`,
    "line 2, column 10: listen is the lab mode and excludes interfaces",
  ],
  [
    "an alternative name of an interface",
    `[server]\ninterfaces = ["enp0s31f6-lan-front"]\n`,
    `line 2, column 14: "enp0s31f6-lan-front" cannot be an interface's own name: write the name of at most 15 characters`,
  ],
  [
    "the label of an address in place of an interface",
    `[server]\ninterfaces = ["eth0:1"]\n`,
    `line 2, column 14: "eth0:1" cannot be an interface's own name`,
  ],
  [
    "a subnet on an interface that is not served",
    `[server]\ninterfaces = ["eth0"]\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "lan-front"\n`,
    `line 5, column 13: "lan-front" is none of [server] interfaces: write one of them as it is written there.`,
  ],
  [
    "a network with host bits",
    `${LAB}[[subnet]]\nnetwork = "10.77.0.1/16"\n`,
    `line 4, column 11: network must be a network like "10.77.0.0/16".`,
  ],
  [
    "overlapping subnets",
    `${LAB}${SUBNET}[[subnet]]\nnetwork = "10.77.4.0/24"\n`,
    "line 6, column 11: 10.77.4.0/24 overlaps the subnet 10.77.0.0/16.",
  ],
  [
    "a pool outside",
    `${LAB}${SUBNET}[[subnet.pool]]\nrange = "10.78.0.1 - 10.78.0.9"\n`,
    "line 6, column 9: the range must lie inside 10.77.0.0/16.",
  ],
  [
    "a pool with the broadcast address",
    `${LAB}${SUBNET}[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.255.255"\n`,
    "line 6, column 9: the range must leave out 10.77.255.255, the broadcast address of 10.77.0.0/16.",
  ],
  [
    "overlapping pools",
    `${LAB}${SUBNET}[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.0.9"\n[[subnet.pool]]\nrange = "10.77.0.9 - 10.77.0.20"\n`,
    "line 8, column 9: the range overlaps the pool 10.77.0.1 - 10.77.0.9.",
  ],
  [
    "an unknown class",
    `${LAB}${SUBNET}[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.0.9"\nclasses = ["phones"]\n`,
    `line 7, column 12: there is no [[class]] with the name "phones".`,
  ],
  [
    "an unknown option",
    `${LAB}${SUBNET}options = { rooters = ["10.77.0.1"] }\n`,
    "line 5, column 23: rooters is not an option",
  ],
  [
    "an unknown option for everyone",
    `${LAB}[options]\nrooters = ["10.77.0.1"]\n`,
    "line 4, column 11: rooters is not an option",
  ],
  [
    "an option for everyone of a wrong form",
    `${LAB}[options]\nrouters = ["10.77.0.300"]\n`,
    `line 4, column 11: routers must be an IPv4 address like "10.0.0.1".`,
  ],
  [
    "an option of a wrong form",
    `${LAB}${SUBNET}options = { routers = ["10.77.0.300"] }\n`,
    `line 5, column 23: routers must be an IPv4 address like "10.0.0.1".`,
  ],
  [
    "an option of the engine",
    `${LAB}${SUBNET}options = { lease_time = 5 }\n`,
    "line 5, column 26: lease_time is set by the engine itself and cannot be given.",
  ],
  [
    "a class that does not read",
    `${LAB}[[class]]\nname = "x"\nmatch = "option[93] = 0x0007"\n`,
    `line 5, column 21: match cannot be read: "=" cannot stand here.`,
  ],
  [
    "a reservation outside",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.78.0.1"\nmac = "02:00:00:00:00:01"\n`,
    "line 6, column 6: 10.78.0.1 must lie inside 10.77.0.0/16.",
  ],
  [
    "a hardware address with short octets",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.77.0.1"\nmac = "0:1c:23:4:5:6"\n`,
    `line 7, column 7: mac must be a hardware address like "02:00:00:00:00:50".`,
  ],
  [
    "a hardware address of five octets",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.77.0.1"\nmac = "02:00:00:00:01"\n`,
    `line 7, column 7: mac must be a hardware address like "02:00:00:00:00:50".`,
  ],
  [
    "a network with two lengths",
    `${LAB}[[subnet]]\nnetwork = "10.77.0.0/16/8"\n`,
    `line 4, column 11: network must be a network like "10.77.0.0/16".`,
  ],
  [
    "one relay in two subnets",
    `${LAB}${SUBNET}relays = ["192.0.2.1"]\n[[subnet]]\nnetwork = "10.78.0.0/16"\nrelays = ["192.0.2.1"]\n`,
    "line 8, column 11: 192.0.2.1 is already a relay of 10.77.0.0/16.",
  ],
  [
    "a type that every object has",
    `${LAB}[[option]]\ncode = 224\nname = "door"\ntype = "constructor"\n`,
    "line 6, column 8: type must be one of u8, u16",
  ],
  [
    "a server name that its field cannot hold",
    `${LAB}${SUBNET}server_name = "${"x".repeat(64)}"\n`,
    "line 5, column 15: server_name must be a name of at most 63 octets.",
  ],
  [
    "a comparison that every object has",
    `${LAB}[[class]]\nname = "x"\nmatch = "mac constructor '02'"\n`,
    `line 5, column 14: match cannot be read: "==", "!=", "starts_with" or "contains" was expected`,
  ],
  [
    "a reservation for nobody",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.77.0.1"\n`,
    "line 5, column 1: a [[subnet.reservation]] needs ip, and mac",
  ],
  [
    "a taken identifier",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.77.0.1"\nmac = "02:00:00:00:00:01"\n[[subnet.reservation]]\nip = "10.77.0.2"\nmac = "02-00-00-00-00-01"\n`,
    "line 10, column 7: mac 020000000001 already has the reservation 10.77.0.1.",
  ],
  [
    "a reserved address twice",
    `${LAB}${SUBNET}[[subnet.reservation]]\nip = "10.77.0.1"\nmac = "02:00:00:00:00:01"\n[[subnet.reservation]]\nip = "10.77.0.1"\nmac = "02:00:00:00:00:02"\n`,
    "line 9, column 6: 10.77.0.1 is reserved twice.",
  ],
  [
    "times out of order",
    `${LAB}[lease]\nmin_time = 100\nmax_time = 50\n`,
    "line 3, column 1: min_time, default_time and max_time must not fall in this order.",
  ],
  [
    "a custom option on a known code",
    `${LAB}[[option]]\ncode = 3\nname = "x"\ntype = "u8"\n`,
    "line 4, column 8: option 3 is already routers.",
  ],
  [
    "two mistakes at once",
    `${LAB}[lease]\nprobe = 1\noffer_time = 1\n`,
    "line 4, column 9: probe must be true or false.",
    "line 5, column 14: offer_time must be a whole number from 5 to 3600.",
  ],
];
for (const [name, text, ...problems] of wrong) {
  test(`a mistake is told with its line and column: ${name}`, () => {
    const told = problemsOf(text);
    assert.equal(told.length, problems.length, told.join("\n"));
    problems.forEach((problem, i) => {
      assert.ok(told[i]?.startsWith(problem), `${told[i]}\nis not\n${problem}`);
    });
  });
}

const PAIR = `primary = "10.0.0.2:31077"\nsecondary = "[fd77::3]:31077"\n`;

test("[ha]: what is not said has its default; of a pair that is switched off, the addresses are known", () => {
  const off = readConfig(`${LAB}[ha]\n${PAIR}`);
  assert.equal(off.ha, undefined);
  assert.deepEqual(off.haNodes?.primary, { host: "10.0.0.2", port: 31_077 });
  assert.deepEqual(readConfig(`${LAB}[ha]\nenabled = true\n${PAIR}`).ha, {
    mode: "hot-standby",
    primary: { host: "10.0.0.2", port: 31_077 },
    secondary: { host: "fd77::3", port: 31_077 },
    maxLead: 1800,
    maxClockSkew: 10,
    contactTimeout: 5,
    partnerDownAfter: 0,
    share: 50,
  });
  const whole = `mode = "load-balancing"\nmax_lead = 600\nmax_clock_skew = 60\ncontact_timeout = 2\n`;
  const { ha } = readConfig(
    `${LAB}[ha]\nenabled = true\n${PAIR}${whole}partner_down_after = 600\nshare = 0\n`,
  );
  assert.deepEqual(
    [ha?.mode, ha?.maxLead, ha?.maxClockSkew, ha?.contactTimeout, ha?.partnerDownAfter, ha?.share],
    ["load-balancing", 600, 60, 2, 600, 0],
  );
});

test("[ha]: what cannot work is told", () => {
  const problems = (text: string) => problemsOf(`${LAB}[ha]\n${text}`);
  const two = "primary and secondary must be two addresses.";
  assert.deepEqual(problems("enabled = true\n"), [`line 4, column 11: ${two}`]);
  assert.deepEqual(problems(`enabled = true\nprimary = "10.0.0.2:31077"\n`), [`line 5, column 11: ${two}`]);
  const same = `primary = "10.0.0.2:31077"\nsecondary = "10.0.0.2:31077"\n`;
  assert.deepEqual(problems(same), [`line 5, column 13: ${two}`]);
  assert.deepEqual(problems(`enabled = true\nsecondary = "b:1"\nprimary = "10.0.0.2:0"\n`), [
    'line 5, column 13: secondary must be an address and a port like "10.0.0.2:31077" or "[fd77::2]:31077".',
    'line 6, column 11: primary must be an address and a port like "10.0.0.2:31077" or "[fd77::2]:31077".',
  ]);
  assert.deepEqual(problems("partner_down_after = 1799\n"), [
    "line 4, column 22: partner_down_after must be 0 or at least max_lead (1800).",
  ]);
  assert.deepEqual(problems("max_lead = 99\n"), [
    "line 4, column 12: max_lead must be at least ten times max_clock_skew.",
  ]);
  assert.deepEqual(problems("max_lead = 59\nmax_clock_skew = 0\ncontact_timeout = 1\nshare = 101\n"), [
    "line 4, column 12: max_lead must be a whole number from 60 to 86400.",
    "line 5, column 18: max_clock_skew must be a whole number from 1 to 60.",
    "line 6, column 19: contact_timeout must be a whole number from 2 to 60.",
    "line 7, column 9: share must be a whole number from 0 to 100.",
  ]);
  assert.match(problems(`role = "primary"\n`)[0] ?? "", /^line 4, column 1: role is not a key of ha/);
});

test("[ddns]: zones with their servers and keys; what is missing or twice is told", () => {
  const zones = `server = "127.0.0.1:53"\nforward_zone = "Office.Example."\nreverse_zone = "77.10.in-addr.arpa"\n`;
  const classless = `[[ddns.zone]]\nname = "64-26.2.0.192.in-addr.arpa"\nnetwork = "192.0.2.64/26"\nserver = "[::1]:5353"\n`;
  const key = `tsig_name = "k"\ntsig_secret = "c2VjcmV0"\n`;
  const { ddns } = readConfig(`${LAB}[ddns]\nenabled = true\n${zones}${key}${classless}`);
  assert.deepEqual(
    ddns?.zones.map(({ name, server, network }) => [name, server.port, network?.address]),
    [
      ["office.example", 53, undefined],
      ["77.10.in-addr.arpa", 53, undefined],
      ["64-26.2.0.192.in-addr.arpa", 5353, 0xc0000240],
    ],
  );
  assert.deepEqual(ddns?.zones[0]?.key?.secret, Uint8Array.from(Buffer.from("secret")));
  assert.equal(readConfig(`${LAB}[ddns]\nenabled = false\n`).ddns, undefined);
  for (const [text, problem] of [
    ["", "[ddns] needs a forward_zone"],
    [`forward_zone = "a.example"\n`, "the zone needs a server"],
    [`${zones}tsig_name = "k"\n`, "a key has both"],
    [`${zones}tsig_name = "k"\ntsig_secret = "not base64"\n`, "tsig_secret must be a secret in base64"],
    [`${zones}[[ddns.zone]]\nname = "office.example"\n`, 'the zone "office.example" is there twice'],
    [`${zones}[[ddns.zone]]\nname = "a..b"\n`, "name must be a domain name"],
    [`${zones}[[ddns.zone]]\nserver = "127.0.0.1:53"\n`, "a [[ddns.zone]] needs a name"],
    [
      `${zones}[[ddns.zone]]\nname = "2-23.0.192.in-addr.arpa"\nnetwork = "192.0.2.0/23"\n`,
      "network must not be larger than a /24",
    ],
  ] as const)
    assert.ok(problemsOf(`${LAB}[ddns]\nenabled = true\n${text}`).join("\n").includes(problem), problem);
});

test("in the lab, DHCPv6 needs a listener of its own", () => {
  assert.deepEqual(problemsOf(`${LAB}[dhcpv6]\nenabled = true\n`), [
    'line 4, column 11: in the lab, DHCPv6 needs [server] listen6 = ["[::1]:6547"].',
  ]);
  const both = LAB.replace("listen =", 'listen6 = ["[::1]:6547"]\nlisten =');
  assert.deepEqual(problemsOf(`${both}[dhcpv6]\nenabled = true\n`), []);
  assert.deepEqual(problemsOf('[server]\nlisten6 = ["[::1]:6547"]\n'), []);
});

test("a v6 subnet is validated and left alone while DHCPv6 is off", () => {
  const v6 = `${LAB}[[subnet]]\nnetwork = "fd77::/64"\n[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\n`;
  assert.equal(readConfig(v6).subnets.length, 0);
});

test("a custom option is defined by code and type, and used by name", () => {
  const config = readConfig(
    `${LAB}options = { door_code = 7, 230 = "0x0102" }\n[[option]]\ncode = 224\nname = "door_code"\ntype = "u16"\n`
      .replace(`${LAB}options`, "options")
      .replace("[[option]]", `${LAB}[[option]]`),
  );
  assert.deepEqual([...(config.scope.options.get(224) ?? [])], [0, 7]);
  assert.deepEqual([...(config.scope.options.get(230) ?? [])], [1, 2]);
});

test("a byte order mark at the start of a file is not part of it", () => {
  assert.equal(readConfig(`\ufeff${LAB}${SUBNET}`).subnets.length, 1);
});

test("excluded ranges that overlap are excluded once", () => {
  const config = readConfig(
    `${LAB}${SUBNET}[[subnet.pool]]\nrange = "10.77.0.1 - 10.77.0.99"\nexclude = ["10.77.0.20 - 10.77.0.30", "10.77.0.10 - 10.77.0.25", "10.77.0.31", "10.77.0.50"]\n`,
  );
  assert.deepEqual(
    config.pools[0]?.excluded.map(({ first, last }) => [first & 255, last & 255]),
    [
      [10, 31],
      [50, 50],
    ],
  );
});

test("every subnet and pool that overlaps another is told, also when a third one lies between them", () => {
  const nets = ["10.9.0.0/16", "10.0.0.0/8", "10.1.0.0/16", "11.0.0.0/8"];
  const told = problemsOf(`${LAB}${nets.map((net) => `[[subnet]]\nnetwork = "${net}"\n`).join("")}`);
  assert.deepEqual(
    told.map((line) => line.replace(/^.*?: /, "")),
    ["10.0.0.0/8 overlaps the subnet 10.9.0.0/16.", "10.1.0.0/16 overlaps the subnet 10.0.0.0/8."],
  );
  const ranges = ["10.0.0.1 - 10.0.0.99", "10.0.0.5 - 10.0.0.6", "10.0.0.50", "10.0.0.100"];
  const pools = ranges.map((range) => `[[subnet.pool]]\nrange = "${range}"\n`).join("");
  assert.deepEqual(
    problemsOf(`${LAB}[[subnet]]\nnetwork = "10.0.0.0/8"\n${pools}`).map((line) =>
      line.replace(/^.*?: /, ""),
    ),
    Array(2).fill("the range overlaps the pool 10.0.0.1 - 10.0.0.99."),
  );
});

test("a configuration that another thread has read says the same", () => {
  const text = `${LAB}[[class]]\nname = "phones"\nmatch = "mac starts_with '02'"\n[[option]]\ncode = 224\nname = "colour"\ntype = "text"\n[[subnet]]\nnetwork = "10.77.0.0/16"\nrelays = ["192.0.2.1"]\noptions = { routers = ["10.77.0.1"], colour = "red" }\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.10"\nexclude = ["10.77.1.3"]\n[[subnet.reservation]]\nip = "10.77.0.50"\nmac = "02:00:00:00:00:50"\n`;
  const { raw, config } = parseConfig(text);
  const shown = (each: Config) => inspect(each, { depth: 12 });
  assert.equal(shown(configOf(structuredClone(raw))), shown(config));
});

test("what is nested without end is a mistake in the file, and no fault of ours", () => {
  assert.deepEqual(problemsOf(`a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`), [
    "line 1, column 1: lists or tables are nested too deeply.",
  ]);
});

for (const [name, text] of [
  ["lists", `a = ${"[".repeat(50_000)}`],
  ["tables", `a = ${"{ a = ".repeat(50_000)}`],
  ["lists after a string that ends with four marks", `a = ["""x"""", ${"[".repeat(50_000)}`],
  ["lists after a string that ends with five marks", `a = ['''x''''', ${"[".repeat(50_000)}`],
  ["lists after a string with an escaped mark", `a = ["\\"", ${"[".repeat(50_000)}`],
  ["lists after a backslash in a plain string", `a = ['\\', ${"[".repeat(50_000)}`],
  ["lists after a comment that a lone carriage return ends", `# \ra = ${"[".repeat(50_000)}`],
  ["lists after comments", `# "\n# '\na = [ # '"""\n${"[".repeat(50_000)}`],
] as const) {
  test(`${name}, opened without end and never closed, are refused before each is kept`, () => {
    assert.deepEqual(problemsOf(text), ["line 1, column 1: lists or tables are nested too deeply."]);
  });
}

test("brackets in texts and comments open nothing", () => {
  const texts = [`"[{"`, `'[{'`, `"""[{\n[{"\\""" """`, `'''[{\n[{\\'''`].map((each) => `x = ${each} # [{`);
  const text = Array.from({ length: 600 }, (_, i) => texts.map((each, n) => `k${i}_${n}.${each}`).join("\n"));
  assert.equal((parseToml(text.join("\n")).value as Map<string, unknown>).size, 2400);
});

test("a text that is too long to be read is told as that", () => {
  assert.deepEqual(problemsOf(`a = "${"x".repeat(1_000_000)}"`), [
    "line 1, column 1: a text or a number in it is too long.",
  ]);
});

const deep = `a${".a".repeat(5000)}`;
for (const [name, text, place] of [
  ["a dotted key", `${deep} = 1`, "line 2, column 1"],
  ["the name of a table", `[${deep}]`, "line 2, column 2"],
  ["the name of a list of tables", `[[${deep}]]`, "line 2, column 3"],
  ["a key inside { }", `x = { ${deep} = 1 }`, "line 2, column 7"],
  ["lists in lists", `x = ${"[".repeat(1000)}${"]".repeat(1000)}`, "line 2, column 37"],
] as const) {
  test(`${name} of thousands of levels is told with its place`, () => {
    assert.deepEqual(problemsOf(`# deep\n${text}\n`), [`${place}: lists or tables are nested too deeply.`]);
    assert.throws(() => plainValue(parseToml(text)), ConfigError);
  });
}

test("a reservation that is switched off takes nothing from others, before or after them in the file", () => {
  const reservation = (ip: string, mac: string, more = "") =>
    `[[subnet.reservation]]\nip = "${ip}"\nmac = "${mac}"\n${more}`;
  const on = reservation("10.77.0.50", "02:00:00:00:00:50");
  const off = reservation("10.77.0.50", "02:00:00:00:00:50", "enabled = false\n");
  for (const both of [on + off, off + on, off + off + on]) {
    const config = readConfig(`${LAB}${SUBNET}${both}`);
    assert.deepEqual([...config.reservedAddresses.keys()].map(formatIpv4), ["10.77.0.50"]);
  }
  assert.deepEqual(problemsOf(`${LAB}${SUBNET}${off.replace("10.77.0.50", "10.78.0.50")}`), [
    "line 6, column 6: 10.78.0.50 must lie inside 10.77.0.0/16.",
  ]);
  assert.equal(problemsOf(`${LAB}${SUBNET}${on}${on}`).length, 2);
});

test("more pools or networks than the engine can number are refused", () => {
  const place = { line: 7, column: 3 };
  const problems = (raw: RawConfig) => {
    const report = new Report();
    readNetworks(raw, () => ({}) as Scope, new Set(), report);
    return report.problems;
  };
  const named = (n: number) => ({ place, name: { place, value: `net${n}` } });
  const shared = Array.from({ length: 65_536 }, (_, n) => named(n));
  assert.deepEqual(problems({ shared_network: shared.slice(1) } as RawConfig), []);
  assert.deepEqual(problems({ shared_network: shared } as RawConfig), [
    { ...place, message: "there are more than 65535 networks." },
  ]);
  const poolAt = (n: number) => ({
    place,
    range: { place, value: { place, value: formatIpv4(0x0a000001 + n) } },
  });
  const subnet = (pools: number) => ({
    place,
    network: { place, value: { address: 0x0a000000, length: 8 } },
    pool: Array.from({ length: pools }, (_, n) => poolAt(n)),
  });
  assert.deepEqual(problems({ subnet: [subnet(65_535)] } as unknown as RawConfig), []);
  assert.deepEqual(problems({ subnet: [subnet(65_536)] } as unknown as RawConfig), [
    { ...place, message: "there are more than 65535 pools." },
  ]);
});
