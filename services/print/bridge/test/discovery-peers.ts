import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { until } from "./support.ts";

export const PROGRAM = fileURLToPath(new URL("../src/command-line.ts", import.meta.url));

export interface AnnouncedService {
  readonly type: string;
  readonly port: number;
  readonly texts?: readonly string[];
}

/** Words before a program that make it run on another machine. */
type Place = readonly string[];

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Avahi on another machine, announcing printers as their administrator would have it do. */
export async function announceByAvahi(
  t: TestContext,
  place: Place,
  host: string,
  printers: Readonly<Record<string, readonly AnnouncedService[]>>,
): Promise<boolean> {
  const avahi = debianProgram(t, "avahi-daemon", "avahi-daemon");
  if (!avahi) return false;
  const home = temporaryHome(t);
  const [run, services] = [join(home, "run"), join(home, "services")];
  mkdirSync(run);
  mkdirSync(services);
  for (const [at, [name, announced]] of Object.entries(printers).entries())
    writeFileSync(
      join(services, `${at}.service`),
      `<?xml version="1.0"?><!DOCTYPE service-group SYSTEM "avahi-service.dtd"><service-group><name>${escaped(name)}</name>${announced
        .map(
          ({ type, port, texts = [] }) =>
            `<service><type>${type}</type><port>${port}</port>${texts.map((text) => `<txt-record>${escaped(text)}</txt-record>`).join("")}</service>`,
        )
        .join("")}</service-group>`,
    );
  writeFileSync(
    join(home, "avahi.conf"),
    `[server]\nhost-name=${host}\nuse-ipv4=yes\nuse-ipv6=no\nallow-interfaces=eth0\nenable-dbus=no\n[publish]\npublish-workstation=no\n`,
  );
  const script = `mount --bind "${run}" /run && mount --bind "${services}" /etc/avahi/services && exec "${avahi}" --no-drop-root --no-chroot --no-rlimits --no-proc-title -f "${join(home, "avahi.conf")}"`;
  const daemon = tetheredProcess("env", [...place, "unshare", "-m", "sh", "-c", script]);
  t.after(() => daemon.stop());
  await until("the responder is there", () => existsSync(join(run, "avahi-daemon", "pid")));
  return true;
}

/** `npx frontdesk print simulate …` on this machine or on another. */
export async function runSimulator(t: TestContext, place: Place, ...more: string[]): Promise<void> {
  const program = tetheredProcess("env", [...place, process.execPath, PROGRAM, "simulate", ...more]);
  t.after(() => program.stop());
  let said = "";
  program.child.stdout?.on("data", (piece) => {
    said += piece;
  });
  program.child.stderr?.on("data", (piece) => {
    said += piece;
  });
  await until("the simulator runs", () => {
    if (program.child.exitCode !== null) throw new Error(said);
    return said.includes("listens on") && (!more.includes("--announce") || said.includes("can be found"));
  });
}
