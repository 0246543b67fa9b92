import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { until } from "./support.ts";

/**
 * A DNS-SD responder of the test's own, on the loopback interface alone, with its own message bus
 * and its own /run. Answers with the environment in which programs find it.
 */
export async function startDnsSd(t: TestContext): Promise<Record<string, string> | undefined> {
  if (process.getuid?.() !== 0) {
    t.skip("a DNS-SD responder of one's own needs root");
    return undefined;
  }
  const bus = debianProgram(t, "dbus-daemon", "dbus-daemon");
  const avahi = bus && debianProgram(t, "avahi-daemon", "avahi-daemon");
  if (!bus || !avahi) return undefined;
  const home = temporaryHome(t);
  const socket = join(home, "bus.sock");
  const run = join(home, "run");
  mkdirSync(run);
  writeFileSync(
    join(home, "bus.conf"),
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy></busconfig>`,
  );
  writeFileSync(
    join(home, "avahi.conf"),
    "[server]\nuse-ipv4=yes\nuse-ipv6=no\nallow-interfaces=lo\nenable-dbus=yes\n[publish]\ndisable-publishing=no\n",
  );
  const env = { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${socket}` };
  const daemon = tetheredProcess(bus, [`--config-file=${join(home, "bus.conf")}`, "--nofork"]);
  t.after(() => daemon.stop());
  await until("the bus is there", () => existsSync(socket));
  const script = `mount --bind "${run}" /run && exec "${avahi}" --no-drop-root --no-chroot --no-rlimits --no-proc-title -f "${join(home, "avahi.conf")}"`;
  const responder = tetheredProcess("unshare", ["-m", "sh", "-c", script], {
    env: { ...process.env, ...env },
  });
  t.after(() => responder.stop());
  await until("the responder is there", () => existsSync(join(run, "avahi-daemon", "pid")));
  return env;
}
