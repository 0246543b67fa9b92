import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { debianProgram, unpackDebian } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { NetworkTool } from "../src/domain/host-network.ts";

/** What of Debian each tool is. Those that would take the machine's own network over are not installed there. */
const PACKAGES: Readonly<Record<NetworkTool, readonly string[]>> = {
  "systemd-networkd": [],
  NetworkManager: ["network-manager"],
  ifupdown: ["ifupdown"],
};

/** A bus on which everybody may do everything: all who are on it are root of a network of their own. */
const BUS = `<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/><allow user="*"/>
</policy></busconfig>`;

/**
 * A machine within the machine: a network, processes and /etc, /run and /var/lib of its own, and the programs of $0.
 * /sys is read-only as in a container, or the tools would wait for udev.
 */
const SET_UP = `set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$0/files/usr:/usr" /usr
mount -t tmpfs none /run
mkdir -p /run/etc /run/work /run/dbus /run/network /run/systemd/netif/links /run/systemd/netif/leases
mount -t overlay overlay -o "lowerdir=$0/files/etc:/etc,upperdir=/run/etc,workdir=/run/work" /etc
mount -t tmpfs none /var/lib
mkdir -p /var/lib/NetworkManager
rm -rf /etc/systemd/network /etc/network/interfaces /etc/network/interfaces.d /etc/NetworkManager/system-connections
mkdir -p /etc/systemd/network /etc/network /etc/NetworkManager/system-connections
ip link set lo up
ip link add lan0 type veth peer name far0
ip link set far0 up
mount -o remount,bind,ro /sys
printf %s '${BUS}' > /run/bus.conf
dbus-daemon --config-file=/run/bus.conf --fork
exec "$@"`;

/** Runs one of the programs here, to its good end, on a machine of its own whose network a tool has. */
export async function onOwnMachine(t: TestContext, tool: NetworkTool, program: string): Promise<void> {
  const home = temporaryHome(t);
  // Programs there that are not root's have to come to what it holds.
  chmodSync(home, 0o755);
  for (const folder of ["usr/sbin", "etc"]) mkdirSync(join(home, "files", folder), { recursive: true });
  const programs = { ip: "iproute2", "dbus-daemon": "dbus", "/lib/systemd/systemd-networkd": "systemd" };
  for (const [program, name] of Object.entries(programs)) if (!debianProgram(t, program, name)) return;
  if (!unpackDebian(t, join(home, "files"), ...PACKAGES[tool])) return;
  const own = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const words = ["sh", "-c", SET_UP, home, process.execPath, join(import.meta.dirname, program), tool];
  const child = spawn("unshare", [...own, ...words], {
    // What is left there in folders for the time being goes with the machine.
    env: { ...process.env, TMPDIR: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const status = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(status, 0, output.slice(-4000));
}
