import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf6, type Pool6, subnetOf6 } from "@frontdesk/lease-config/config6";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import { ConfigError } from "@frontdesk/lease-config/toml-document";
import { readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv6, ipv6Bytes, parseIpv6 } from "@frontdesk/lease-options/address";

const LAB = `[server]\nlisten = ["127.0.0.1:6767"]\n`;
const ip6 = (text: string) => parseIpv6(text) as bigint;
const v6Of = (toml: string) => readConfig(LAB + toml).v6;

/** What is wrong, with the line counted from the text's own first line. */
function problems(toml: string): string[] {
  try {
    readConfig(LAB + toml);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.map(({ line, column, message }) => `${line - 2}:${column} ${message}`);
  }
}

const WHOLE = `
[dhcpv6]
preference = 10
rapid_commit = true
preferred_time = 1000
valid_time = 2000
relays = ["fd00::1"]
options = { dns_servers = ["fd77::1"] }
[[shared_network]]
name = "house"
options6 = { domain_search = ["house.example"] }
[[subnet]]
network = "fd77::/64"
shared_network = "house"
interface = "eth0"
interface_ids = ["ge-0/0/1", "0x0102"]
relays = ["fd00::1"]
options = { ntp_servers = ["fd77::2"], 200 = "0x0102" }
  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff"
  exclude = ["fd77::2000 - fd77::2fff"]
  valid_time = 500
  preferred_time = 400
  [[subnet.prefix_pool]]
  prefix = "fd77:1::/48"
  delegated_length = 56
  exclude_length = 64
  exclude_number = 255
  [[subnet.reservation]]
  ip = "fd77::50"
  prefix = "fd77:1:0:500::/56"
  duid = "00:03:00:01:02:00:00:00:00:50"
  mac = "02:00:00:00:00:50"
  interface_id = "port 5"
  remote_id = "0x0a0b"
`;

test("a subnet of IPv6 is read with its pools, prefixes, reservations, ways and options", () => {
  const v6 = v6Of(WHOLE);
  const { enabled, preference, rapidCommit, preferredTime, validTime } = v6;
  assert.deepEqual(
    [enabled, preference, rapidCommit, preferredTime, validTime],
    [false, 10, true, 1000, 2000],
  );
  assert.deepEqual([...v6.scope.options.keys()], [23]);
  const [subnet] = v6.subnets;
  assert.ok(subnet);
  assert.equal(subnet.network.name, "house");
  assert.deepEqual([...subnet.network.scope.options.keys()], [24]);
  assert.deepEqual([...subnet.scope.options.keys()].sort(), [200, 56]);
  const shown = ({ first, last, length, shift }: Pool6) => [
    formatIpv6(first),
    formatIpv6(last),
    length,
    shift,
  ];
  assert.deepEqual(v6.pools.map(shown), [
    ["fd77::1000", "fd77::ffff", 128, 0],
    ["fd77:1::", "fd77:1:0:ff00::", 56, 72],
  ]);
  assert.deepEqual(v6.pools[1]?.exclude, { length: 64, number: 255 });
  assert.deepEqual([...v6.reserved.keys()].map(formatIpv6), ["fd77::50", "fd77:1:0:500::"]);
  assert.deepEqual(
    [...subnet.network.reservations.keys()],
    ["duid 00030001020000000050", "mac 020000000050", "interface_id 706f72742035", "remote_id 0a0b"],
  );
  assert.equal(v6.relaySubnets.get(ip6("fd00::1")), subnet);
  assert.equal(v6.interfaceSubnets.get("eth0"), subnet);
  assert.equal(v6.interfaceIdSubnets.get("interface_id 0102"), subnet);
  assert.equal(subnetOf6(v6, ip6("fd77::abcd")), subnet);
  assert.equal(subnetOf6(v6, ip6("fd78::1")), undefined);
  assert.equal(
    networkOf6(v6, ip6("fd77:1:0:100::")),
    subnet.network,
    "a prefix belongs to its pool's network",
  );
});

test("where only one lifetime is given, the preferred one is never the longer", () => {
  assert.deepEqual([v6Of("").preferredTime, v6Of("").validTime], [3600, 7200]);
  const long = v6Of("[dhcpv6]\npreferred_time = 9000\n");
  assert.deepEqual([long.preferredTime, long.validTime], [9000, 18_000]);
  const short = v6Of("[dhcpv6]\nvalid_time = 100\n");
  assert.deepEqual([short.preferredTime, short.validTime], [50, 100]);
});

test("a small pool leaves out interface identifiers that no host may have (RFC 5453)", () => {
  const { pools } = v6Of(`[[subnet]]\nnetwork = "fd77::/64"\n[[subnet.pool]]\nrange = "fd77:: - fd77::ff"\n`);
  assert.deepEqual(pools[0]?.excluded, [{ first: ip6("fd77::"), last: ip6("fd77::") }]);
  for (const taken of ["fd77::", "fd77::200:5eff:fe00:5212", "fd77::fdff:ffff:ffff:ff80"]) {
    assert.ok(isReservedInterfaceId(ip6(taken)), taken);
  }
  for (const open of ["fd77::1", "fd77::200:5eff:ff00:0", "fd77::fdff:ffff:ffff:ff7f"]) {
    assert.ok(!isReservedInterfaceId(ip6(open)), open);
  }
});

const SUBNET = `[[subnet]]\nnetwork = "fd77::/64"\n`;
const mistakes: ReadonlyArray<[name: string, toml: string, told: string[]]> = [
  [
    "a network with bits after its prefix",
    `[[subnet]]\nnetwork = "fd77::1/64"\n`,
    ['2:11 network must be a network like "10.77.0.0/16".'],
  ],
  [
    "two subnets that overlap",
    `${SUBNET}[[subnet]]\nnetwork = "fd77::/48"\n`,
    ["4:11 fd77::/48 overlaps the subnet fd77::/64."],
  ],
  [
    "a pool outside its subnet",
    `${SUBNET}[[subnet.pool]]\nrange = "fd78::1 - fd78::2"\n`,
    ["4:9 the range must lie inside fd77::/64."],
  ],
  [
    "a pool of IPv4 in a subnet of IPv6",
    `${SUBNET}[[subnet.pool]]\nrange = "10.0.0.1 - 10.0.0.2"\n`,
    ['4:9 range must be one address or two, like "fd77::10 - fd77::ffff".'],
  ],
  [
    "pools that overlap, of prefixes too",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\n[[subnet.prefix_pool]]\nprefix = "fd77:1:0:ff80::/57"\ndelegated_length = 64\n`,
    ["7:10 the range overlaps the pool fd77:1::/56 - fd77:1:0:ff00::/56."],
  ],
  [
    "a delegated prefix larger than the pool",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 40\n`,
    ["5:20 delegated_length must be at least that of fd77:1::/48."],
  ],
  [
    "a prefix pool without its length",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\n`,
    ['3:1 a [[subnet.prefix_pool]] needs prefix = "fd77:1::/48" and delegated_length = 56.'],
  ],
  [
    "an excluded part that is not there",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\nexclude_length = 60\nexclude_number = 16\n`,
    ["7:18 exclude_number must be at most 15."],
  ],
  [
    "a reserved prefix that is a part of one that the pool gives",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\n[[subnet.reservation]]\nprefix = "fd77:1::/64"\nduid = "00:01"\n`,
    ["7:10 fd77:1::/64 lies in the pool fd77:1::/56 - fd77:1:0:ff00::/56, of which it must be one prefix."],
  ],
  [
    "a reserved prefix that holds a pool, and one that holds a subnet",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd78:1::/48"\ndelegated_length = 56\n[[subnet.reservation]]\nprefix = "fd78::/16"\nduid = "00:01"\n[[subnet.reservation]]\nprefix = "fd77::/32"\nduid = "00:02"\n`,
    [
      "7:10 fd78::/16 holds the pool fd78:1::/56 - fd78:1:0:ff00::/56.",
      "10:10 fd77::/32 holds the subnet fd77::/64, which cannot be delegated.",
    ],
  ],
  [
    "a pool of prefixes over a link",
    `${SUBNET}[[subnet.prefix_pool]]\nprefix = "fd77::/48"\ndelegated_length = 64\n`,
    ["4:10 fd77::/64 - fd77:0:0:ffff::/64 holds the subnet fd77::/64, which cannot be delegated."],
  ],
  [
    "a reservation of IPv4 in a subnet of IPv6",
    `${SUBNET}[[subnet.reservation]]\nip = "10.0.0.1"\nduid = "00:01"\n`,
    ['4:6 ip must be an IPv6 address like "fd77::1".'],
  ],
  [
    "a reservation of IPv6 in a subnet of IPv4",
    `[[subnet]]\nnetwork = "10.0.0.0/24"\n[[subnet.reservation]]\nip = "fd77::1"\nmac = "02:00:00:00:00:01"\n`,
    ['4:6 ip must be an IPv4 address like "10.0.0.1".'],
  ],
  [
    "a reserved address that no host may have",
    `${SUBNET}[[subnet.reservation]]\nip = "fd77::"\nduid = "00:01"\n`,
    ["4:6 fd77:: has an interface identifier that no host may have (RFC 5453)."],
  ],
  [
    "a client that is named as in IPv4",
    `${SUBNET}[[subnet.reservation]]\nip = "fd77::5"\nclient_id = "00:01"\n`,
    ["5:13 client_id is for IPv4: name the client by duid, mac, interface_id, remote_id."],
  ],
  [
    "an address that is reserved twice, and a client with two reservations",
    `${SUBNET}[[subnet.reservation]]\nip = "fd77::5"\nduid = "00:01"\n[[subnet.reservation]]\nip = "fd77::5"\nduid = "00:01"\n`,
    ["7:6 fd77::5 is reserved twice.", "8:8 duid 0001 already has a reservation here."],
  ],
  [
    "an option of IPv4 in a subnet of IPv6",
    `${SUBNET}options = { routers = ["fd77::1"] }\n`,
    ["3:23 routers is not an option: name one of docs/lease-v6.md, or define it with [[option6]]."],
  ],
  [
    "an option that the engine sets",
    `${SUBNET}options = { server_id = "0x01" }\n`,
    ["3:25 server_id is set by the engine itself and cannot be given."],
  ],
  [
    "lifetimes in the wrong order",
    `${SUBNET}preferred_time = 10\nvalid_time = 5\n`,
    ["1:1 preferred_time must not be longer than valid_time."],
  ],
  [
    "a time of IPv4 in a subnet of IPv6",
    `${SUBNET}default_time = 10\n`,
    ["1:1 default_time is for IPv4: here, give preferred_time and valid_time."],
  ],
  [
    "prefixes of IPv6 in a subnet of IPv4",
    `[[subnet]]\nnetwork = "10.0.0.0/24"\n[[subnet.prefix_pool]]\nprefix = "fd77:1::/48"\ndelegated_length = 56\n`,
    ["3:1 a [[subnet.prefix_pool]] is for subnets of IPv6."],
  ],
  [
    "one relay for two networks",
    `${SUBNET}relays = ["fd00::1"]\n[[subnet]]\nnetwork = "fd78::/64"\nrelays = ["fd00::1"]\n`,
    ["6:11 the relay fd00::1 already leads to fd77::/64."],
  ],
];

for (const [name, toml, told] of mistakes) {
  test(`told with line and column: ${name}`, () => assert.deepEqual(problems(toml), told));
}

test("a custom option is defined by code and type, and given by its name at any level", () => {
  const v6 = v6Of(`
[dhcpv6]
options = { phone_servers = ["fd77::7"] }
[[option6]]
code = 4001
name = "phone_servers"
type = "ipv6_list"
[[option6]]
code = 4002
name = "phone_domain"
type = "domain"
[[class]]
name = "phones"
match = "option6[4001] == 0x01"
options6 = { phone_domain = "phones.example" }
[[subnet]]
network = "fd77::/64"
  [[subnet.reservation]]
  ip = "fd77::50"
  duid = "00:03:00:01:02:00:00:00:00:50"
  options = { phone_servers = ["fd77::8"] }
`);
  assert.deepEqual(v6.scope.options.get(4001), ipv6Bytes(ip6("fd77::7")));
  const [reservation] = v6.subnets[0]?.reservations ?? [];
  assert.deepEqual(reservation?.scope.options.get(4001), ipv6Bytes(ip6("fd77::8")));
  assert.deepEqual(
    problems(
      '[[option6]]\ncode = 23\nname = "x"\ntype = "u8"\n[[option6]]\ncode = 4001\nname = "y"\ntype = "ipv4"\n[[option6]]\ncode = 4003\n',
    ),
    [
      "2:8 option 23 is already dns_servers.",
      "8:8 type must be one of u8, u16, u32, i32, bool, text, bytes, ipv6, ipv6_list, u8_list, u16_list, domain, domains.",
      "9:1 an [[option6]] needs code, name and type.",
    ],
  );
});
