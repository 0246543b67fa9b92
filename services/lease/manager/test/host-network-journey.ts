import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "@frontdesk/testkit/until";
import type { NetworkTool } from "../src/domain/host-network.ts";
import { createHostNetwork } from "../src/keeper/host-network.ts";

/** Run on a machine of its own, as root: changes its address by the tool that is named, which has its network. */
const CHANGE = { interface: "lan0", address: "192.0.2.10/24", gateway: "192.0.2.1", dns: ["192.0.2.53"] };
const BEFORE = ["192.0.2.77/24"];
const AFTER = [CHANGE.address];
/** What the administrator has set beside the address, and what no change of that takes away. */
const OTHERS = { mtu: 1400, ipv6: "fd77::7/64", route: "203.0.113.0/24" };

let daemon: ChildProcess | undefined;

async function restart(program: string, ...words: string[]): Promise<void> {
  if (daemon) {
    const ended = new Promise((resolve) => daemon?.on("exit", resolve));
    daemon.kill("SIGTERM");
    await ended;
  }
  daemon = spawn(program, words, { stdio: ["ignore", "inherit", "inherit"] });
}

/** How an administrator has set the address before, and what starts the tool anew as a restart of the machine does. */
const TOOLS: Readonly<
  Record<NetworkTool, { readonly before: () => void; readonly start: () => Promise<void> }>
> = {
  "systemd-networkd": {
    before: () => {
      writeFileSync(
        "/etc/systemd/network/05-office.network",
        `[Match]\nName=lan*\n\n[Link]\nMTUBytes=${OTHERS.mtu}\n
[Network]\nAddress=${BEFORE}\nAddress=${OTHERS.ipv6}\nLinkLocalAddressing=no\n`,
      );
      mkdirSync("/etc/systemd/network/05-office.network.d");
      writeFileSync(
        "/etc/systemd/network/05-office.network.d/store.conf",
        `[Route]\nDestination=${OTHERS.route}\nScope=link\n`,
      );
    },
    start: async () => {
      execFileSync("chown", ["-R", "systemd-network", "/run/systemd/netif"]);
      await restart("/lib/systemd/systemd-networkd");
    },
  },
  NetworkManager: {
    before: () => {
      writeFileSync(
        "/etc/NetworkManager/NetworkManager.conf",
        "[main]\nplugins=keyfile\nauth-polkit=false\n",
      );
      writeFileSync(
        "/etc/NetworkManager/system-connections/office.nmconnection",
        `[connection]\nid=office\nuuid=5a3f5f5e-7a0b-4a3e-9d54-3c2f1e0d9b8a\ntype=ethernet\ninterface-name=lan0\n
[ethernet]\nmtu=${OTHERS.mtu}\n\n[ipv4]\nmethod=manual\naddress1=${BEFORE}\nroute1=${OTHERS.route}\n
[ipv6]\nmethod=manual\naddress1=${OTHERS.ipv6}\n`,
        { mode: 0o600 },
      );
    },
    start: () => restart("NetworkManager", "--no-daemon"),
  },
  ifupdown: {
    before: () =>
      writeFileSync(
        "/etc/network/interfaces",
        `auto lan0\niface lan0 inet static\n    address ${BEFORE}\n    mtu ${OTHERS.mtu}
    up ip route add ${OTHERS.route} dev lan0\n\niface lan0 inet6 static\n    address ${OTHERS.ipv6}\n`,
      ),
    start: async () => {
      execFileSync("ifdown", ["--force", "--all"]);
      execFileSync("ifup", ["--all"]);
    },
  },
};

const tool = process.argv[2] as NetworkTool;
const { before, start } = TOOLS[tool];
const network = createHostNetwork({
  root: "/",
  run: async (program, words) => (await promisify(execFile)(program, [...words])).stdout,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: () => () => {},
  wait: delay,
  lockIfFree: () => () => {},
  isRoot: true,
});
const lan = async () => {
  const { interfaces } = await network.state();
  return interfaces.find(({ name }) => name === "lan0") ?? assert.fail("lan0 is gone");
};
const has = async (addresses: readonly string[]) => {
  const { addresses: all, tool: by } = await lan();
  const ipv4 = all.filter((each) => !each.includes(":"));
  return by === tool && ipv4.join() === addresses.join() && all.includes(OTHERS.ipv6) && hasOthers();
};
const ipJson = (...words: string[]) =>
  JSON.parse(execFileSync("ip", ["-json", ...words], { encoding: "utf8" }));
const hasOthers = () => {
  const [{ mtu }] = ipJson("link", "show", "lan0");
  return mtu === OTHERS.mtu && ipJson("route", "show", OTHERS.route, "dev", "lan0").length > 0;
};

before();
await start();
await until(`${tool} has set ${BEFORE}`, () => has(BEFORE));

await network.tryOut(CHANGE, 600);
const tried = await lan();
assert.ok(
  tried.addresses.includes(CHANGE.address),
  "whoever tries it out is answered when the address is there",
);
assert.equal(tried.gateway, CHANGE.gateway);
await until(`${tool} has taken ${BEFORE} away`, () => has(AFTER));
await network.takeBack();
await until(`${tool} has set ${BEFORE} again`, () => has(BEFORE));

await network.tryOut(CHANGE, 600);
await network.confirm();
await start();
await until(`${tool} has set ${AFTER} after its restart`, () => has(AFTER));
daemon?.kill("SIGTERM");
