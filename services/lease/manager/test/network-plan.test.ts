import assert from "node:assert/strict";
import fs, { existsSync, mkdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createHostNetwork } from "../src/keeper/host-network.ts";
import { planOf } from "../src/keeper/network-plan.ts";

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
  const [file] = planOf(root, "ifupdown", CHANGE).files;
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
function machine(root: string, now: () => number) {
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
    schedule: (milliseconds) => {
      due.push(milliseconds);
      return () => {};
    },
    wait: async () => {},
    isRoot: true,
  });
  return { network, due };
}

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

test("a confirmation is answered when no power cut can take it back; one that cannot be kept is none", async (t) => {
  const root = temporaryHome(t);
  mkdirSync(join(root, "etc/network"), { recursive: true });
  writeFileSync(join(root, "etc/network/interfaces"), BEFORE);
  const trialFolder = join(root, "var/lib/frontdesk");
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
  assert.deepEqual(folders, [root, "trial kept", join(root, "etc/network")], "the trial before the change");
  isBroken = true;
  await assert.rejects(network.confirm(), /EIO/);
  assert.ok((await network.state()).trial, "it is taken back in time");
  isBroken = false;
  synced.length = 0;
  assert.equal((await network.confirm()).trial, null);
  assert.deepEqual(synced, ["trial gone"]);
});
