import assert from "node:assert/strict";
import fs, { existsSync, mkdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createHostNetwork } from "../src/keeper/host-network.ts";
import { planOf } from "../src/keeper/network-plan.ts";
import { withoutSecrets } from "../src/keeper/network-secrets.ts";

const CHANGE = { interface: "br0", address: "192.0.2.10/24", gateway: "192.0.2.1", dns: [] };
const BEFORE = `auto br0
iface br0 inet static
    address 198.51.100.7
    netmask 255.255.255.0
    gateway 198.51.100.1
    bridge_ports eth0 eth1
    # the office over there
    up ip route add 203.0.113.0/24 via 198.51.100.9

iface br0 inet6 auto
`;

test("ifupdown: what a stanza says beside the address stays, as the ports of a bridge", (t) => {
  const root = temporaryHome(t);
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(join(root, "etc/network/interfaces"), BEFORE);
  const [file] = planOf(root, "ifupdown", CHANGE, 2).files;
  assert.equal(
    file?.after,
    `auto br0
iface br0 inet static
    address 192.0.2.10/24
    gateway 192.0.2.1
    bridge_ports eth0 eth1
    # the office over there
    up ip route add 203.0.113.0/24 via 198.51.100.9

iface br0 inet6 auto
`,
  );
});

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const LINK = `ADMIN_STATE=configured
NETWORK_FILE=/usr/lib/systemd/network/80-wired.network
`;
const WIRED = `# All of them
[Match]
Name=en* br*

[Link]
MTUBytes=1400

[Network]
DHCP=yes
Address=198.51.100.7/24
Address=2001:db8::7/64
Gateway=198.51.100.1
Gateway=fe80::1
DNS=198.51.100.53 2001:db8::53
VLAN=br0.7

[Address]
Address=198.51.100.8/24
Label=br0:1

[Address]
Address=2001:db8::8/64

[Route]
Gateway=_dhcp4

[Route]
Destination=203.0.113.0/24
Gateway=198.51.100.9

[Route]
Gateway=198.51.100.3
Table=7

[DHCPv6]
UseDNS=no
`;

test("systemd-networkd: what the file in force says beside the IPv4 address stays, with its drop-ins", (t) => {
  const root = temporaryHome(t);
  put(root, {
    "run/systemd/netif/links/2": LINK,
    "usr/lib/systemd/network/80-wired.network": WIRED,
    "etc/systemd/network/80-wired.network.d/dns.conf":
      "[Network]\nDNS=\nDNS=198.51.100.54\nDomains=front \\\n  desk\n",
    // One of the same name counts instead, and one of another kind not at all.
    "usr/lib/systemd/network/80-wired.network.d/dns.conf": "[Network]\nDNS=2001:db8::99\n",
    "run/systemd/network/80-wired.network.d/10-mac.conf": "[Link]\nMACAddress=02:00:00:00:00:99\n",
    "run/systemd/network/80-wired.network.d/old": "[Link]\nMACAddress=02:00:00:00:00:98\n",
  });
  const change = { ...CHANGE, dns: ["192.0.2.53"] };
  const [file] = planOf(root, "systemd-networkd", change, 2).files;
  assert.equal(file?.path, join(root, "etc/systemd/network/00-frontdesk-br0.network"));
  assert.equal(
    file?.after,
    `[Match]
Name=br0

[Link]
MTUBytes=1400

[Network]
DHCP=ipv6
Address=2001:db8::7/64
Gateway=fe80::1
DNS=2001:db8::53
VLAN=br0.7

[Address]
Address=2001:db8::8/64

[Route]
Destination=203.0.113.0/24
Gateway=198.51.100.9

[Route]
Gateway=198.51.100.3
Table=7

[DHCPv6]
UseDNS=no

[Link]
MACAddress=02:00:00:00:00:99

[Network]
DNS=
Domains=front    desk

[Network]
Address=192.0.2.10/24
Gateway=192.0.2.1
DNS=192.0.2.53
`,
  );
});

test("systemd-networkd: of the file of an earlier change only the address changes, and its drop-ins stay where they are", (t) => {
  const root = temporaryHome(t);
  const own = "etc/systemd/network/00-frontdesk-br0.network";
  const text = (address: string) =>
    `[Match]\nName=br0\n\n[Link]\nMTUBytes=1400\n\n[Network]\nAddress=${address}\n`;
  put(root, {
    "run/systemd/netif/links/2": `NETWORK_FILE=/${own}\n`,
    [own]: text("192.0.2.9/24"),
    [`${own}.d/more.conf`]: "[Network]\nDomains=front\n",
  });
  const [file] = planOf(root, "systemd-networkd", { ...CHANGE, gateway: null }, 2).files;
  assert.deepEqual([file?.before, file?.after], [text("192.0.2.9/24"), text("192.0.2.10/24")]);
});

const PROFILE = `[connection]
id=office
uuid=5a3f5f5e-7a0b-4a3e-9d54-3c2f1e0d9b8a
type=bridge
interface-name=br0

[bridge]
stp=false

[ipv4]
address1=198.51.100.7/24,198.51.100.1
address2=198.51.100.8/24
dns=198.51.100.53;
dns-search=front.example;
method=manual
never-default=true
route1=203.0.113.0/24,198.51.100.9
route2=0.0.0.0/0,198.51.100.3

[ipv6]
address1=2001:db8::7/64
method=manual
`;
const DEVICE = "[device]\nmanaged=true\nconnection-uuid=5a3f5f5e-7a0b-4a3e-9d54-3c2f1e0d9b8a\n";
const NEW_IPV4 = `[ipv4]
method=manual
address1=192.0.2.10/24,192.0.2.1
dns-search=front.example;
route1=203.0.113.0/24,198.51.100.9
`;
const withNewIpv4 = (text: string) => text.replace(/\[ipv4\]\n[^[]*\n\n/, `${NEW_IPV4}\n`);

test("NetworkManager: of the interface's own profile only the IPv4 address changes", (t) => {
  const root = temporaryHome(t);
  const path = "etc/NetworkManager/system-connections/office.nmconnection";
  put(root, { "run/NetworkManager/devices/2": DEVICE, [path]: PROFILE });
  const { files, up, upAgain } = planOf(root, "NetworkManager", CHANGE, 2);
  assert.deepEqual(files, [{ path: join(root, path), before: PROFILE, after: withNewIpv4(PROFILE) }]);
  const raise = [
    "nmcli",
    "connection",
    "up",
    "uuid",
    "5a3f5f5e-7a0b-4a3e-9d54-3c2f1e0d9b8a",
    "ifname",
    "br0",
  ];
  assert.deepEqual([up.at(-1), upAgain.at(-1)], [raise, raise]);
});

for (const [how, path, profile] of [
  [
    "is for any interface",
    "etc/NetworkManager/system-connections/any",
    PROFILE.replace("interface-name=br0\n", ""),
  ],
  ["something else makes anew", "run/NetworkManager/system-connections/netplan", PROFILE],
] as const)
  test(`NetworkManager: a profile that ${how} stays; a copy for the interface has the address`, (t) => {
    const root = temporaryHome(t);
    put(root, { "run/NetworkManager/devices/2": DEVICE, [path]: profile });
    const { files, up, upAgain } = planOf(root, "NetworkManager", CHANGE, 2);
    const [file] = files;
    assert.equal(file?.path, join(root, "etc/NetworkManager/system-connections/frontdesk-br0.nmconnection"));
    const uuid = /^uuid=(.*)$/m.exec(file?.after ?? "")?.[1];
    const connection = `[connection]
id=frontdesk-br0
uuid=${uuid}
interface-name=br0
autoconnect-priority=100
type=bridge
`;
    assert.equal(file?.after, withNewIpv4(PROFILE).replace(/^\[connection\]\n[^[]*\n\n/, `${connection}\n`));
    assert.deepEqual([up.at(-1)?.[4], upAgain.at(-1)?.[4]], [uuid, "5a3f5f5e-7a0b-4a3e-9d54-3c2f1e0d9b8a"]);
  });

test("ifupdown: a file that only root can read stays so", async (t) => {
  const root = temporaryHome(t);
  const path = join(root, "etc/network/interfaces");
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(path, BEFORE, { mode: 0o600 });
  const { network } = machine(root, () => 0);
  await network.tryOut(CHANGE, 60);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await network.takeBack();
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

/** A machine whose interface ifupdown has; programs do nothing but `ip`. */
function machine(root: string, now: () => number, monotonic: () => number = () => 0) {
  const due: number[] = [];
  const network = createHostNetwork({
    root,
    run: async (program, words) => {
      if (program !== "ip") return "";
      return words.includes("route")
        ? '[{"dev":"br0","gateway":"192.0.2.1"}]'
        : '[{"ifname":"br0","ifindex":2,"flags":["UP"],"addr_info":[{"local":"192.0.2.10","prefixlen":24}]}]';
    },
    now,
    monotonic,
    schedule: (milliseconds) => {
      due.push(milliseconds);
      return () => {};
    },
    wait: async () => {},
    lockIfFree: () => () => {},
    isRoot: true,
  });
  return { network, due };
}

test("a preview shows no secret of a network", async (t) => {
  const root = temporaryHome(t);
  const secret = "    wpa-psk correct horse";
  put(root, { "etc/network/interfaces": BEFORE.replace("    # the office", `${secret}\n    # the office`) });
  const [file] = (await machine(root, () => 0).network.preview(CHANGE)).files;
  for (const text of [file?.before, file?.after]) {
    assert.doesNotMatch(text ?? "", /horse/);
    assert.match(text ?? "", /^ {4}wpa-psk …$/m);
  }
  assert.equal(
    withoutSecrets("[wifi-security]\nkey-mgmt=wpa-psk\npsk=horse"),
    "[wifi-security]\nkey-mgmt=wpa-psk\npsk …",
  );
});

test("a trial that cannot be kept on disk is none, and changes nothing", async (t) => {
  const root = temporaryHome(t);
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(join(root, "etc/network/interfaces"), BEFORE);
  // Where its folder would be made, there is a file.
  writeFileSync(join(root, "var"), "");
  const { network } = machine(root, () => 0);
  await assert.rejects(network.tryOut(CHANGE, 60));
  assert.equal((await network.state()).trial, null);
  rmSync(join(root, "var"));
  assert.ok((await network.tryOut(CHANGE, 60)).trial);
});

test("a trial that a keeper left behind ends within its time, also where the clock was set back", async (t) => {
  const root = temporaryHome(t);
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(join(root, "etc/network/interfaces"), BEFORE);
  await machine(root, () => 1_000_000_000).network.tryOut(CHANGE, 60);
  const { due } = machine(root, () => 0);
  assert.deepEqual(due, [60_000]);
});

test("how long a trial has left is what its timer gives it, however the wall clock is set", async (t) => {
  const root = temporaryHome(t);
  put(root, { "etc/network/interfaces": BEFORE });
  let [wall, steady] = [1_000_000_000, 0];
  const { network, due } = machine(
    root,
    () => wall,
    () => steady,
  );
  await network.tryOut(CHANGE, 60);
  assert.deepEqual(due, [60_000]);
  steady += 20_000;
  for (const set of [0, 3_600_000, -3_600_000]) {
    wall = 1_000_020_000 + set;
    assert.equal((await network.state()).trial?.secondsLeft, 40, `${set}`);
  }
});

test("a confirmation is answered when no power cut can take it back; one that cannot be kept is none", async (t) => {
  const root = temporaryHome(t);
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(join(root, "etc/network/interfaces"), BEFORE);
  const trialFolder = join(root, "var/lib/frontdesk-network");
  const trialPath = join(trialFolder, "lease-network-trial.json");
  const synced: string[] = [];
  let isBroken = false;
  const sync = fs.fsyncSync;
  t.mock.method(fs, "fsyncSync", (fd: number) => {
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    if (isBroken) throw new Error("EIO");
    synced.push(path === trialFolder ? `trial ${existsSync(trialPath) ? "kept" : "gone"}` : path);
    sync(fd);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const { network } = machine(root, () => 0);
  await network.tryOut(CHANGE, 60);
  const folders = synced.filter((path) => !path.endsWith(".new"));
  const stanza = join(root, "etc/network");
  assert.deepEqual(
    folders,
    [root, "trial kept", stanza, "trial kept"],
    "the trial before the change, its time after it",
  );
  isBroken = true;
  await assert.rejects(network.confirm(), /EIO/);
  assert.ok((await network.state()).trial, "it is taken back in time");
  isBroken = false;
  synced.length = 0;
  assert.equal((await network.confirm()).trial, null);
  assert.deepEqual(synced, ["trial gone"]);
});
