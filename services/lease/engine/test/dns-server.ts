import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import type { TsigKey } from "../src/ddns/tsig.ts";
import type { DnsServer } from "../src/ddns/update-exchange.ts";

export const FORWARD = "office.example";
export const REVERSE = "77.10.in-addr.arpa";
export const REVERSE6 = "7.7.d.f.ip6.arpa";
/** RFC 2317: 192.0.2.64/26. */
export const CLASSLESS = "64-26.2.0.192.in-addr.arpa";
/** Its updates are refused. */
export const FROZEN = "frozen.example";

/** What the configuration of a server is made of. */
export interface DnsServerPlan {
  readonly folder: string;
  readonly port: number;
  readonly algorithm: TsigKey["algorithm"];
  /** In base64. */
  readonly secret: string;
  /** Zones that take updates signed with the key `lease-key`, and one that takes none, each with its file. */
  readonly zones: ReadonlyArray<{ readonly name: string; readonly file: string; readonly isFrozen: boolean }>;
}

export interface DnsProgram {
  /** As the test names it. */
  readonly called: string;
  readonly program: string;
  readonly package: string;
  readonly words: (configPath: string) => string[];
  readonly config: (plan: DnsServerPlan) => string;
}

/** A DNS server of the test's own, whose zones take updates that are signed; undefined where there is none to be had. */
export async function startDnsServer(
  t: TestContext,
  { called, program, package: debianPackage, words, config }: DnsProgram,
  algorithm: TsigKey["algorithm"],
) {
  const daemon = debianProgram(t, program, debianPackage);
  const dig = debianProgram(t, "dig", "bind9-dnsutils");
  if (!daemon || !dig) return undefined;
  let child: ReturnType<typeof spawn> | undefined;
  const stop = async () => {
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  // Before its folder is removed.
  t.after(stop);
  const folder = temporaryHome(t);
  const port = await freePort();
  const key: TsigKey = { name: "lease-key", algorithm, secret: randomBytes(32) };
  const zones = [FORWARD, REVERSE, REVERSE6, CLASSLESS, FROZEN].map((name) => {
    const file = join(folder, `${name}.zone`);
    const start = `$ORIGIN ${name}.\n$TTL 60\n@ IN SOA ns.${FORWARD}. hostmaster.${FORWARD}. 1 60 60 600 60\n@ IN NS ns.${FORWARD}.\n`;
    const hosts = name.endsWith("example") ? "ns IN A 127.0.0.1\nbyhand IN A 10.77.9.9\n" : "";
    writeFileSync(file, `${start}${hosts}`);
    return { name, file, isFrozen: name === FROZEN };
  });
  mkdirSync(join(folder, "run"));
  const configPath = join(folder, "server.conf");
  const secret = Buffer.from(key.secret).toString("base64");
  writeFileSync(configPath, config({ folder, port, algorithm, secret, zones }));
  chmodSync(folder, 0o777);
  const server: DnsServer = { host: "127.0.0.1", port, key };
  const digged = (...asked: string[]) =>
    execFileSync(dig, ["@127.0.0.1", "-p", String(port), "+time=5", "+tries=3", ...asked], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    })
      .split("\n")
      .filter((line) => line && !line.startsWith(";"))
      .sort();
  const ask = (name: string, type: string): string[] => digged("+short", name, type);
  /** All records of a type in a zone, as `name data`. */
  const transfer = (zone: string, type: string): string[] =>
    digged("+noall", "+answer", zone, "AXFR")
      .map((line) => line.split(/\s+/))
      .flatMap(([name, , , kind, data]) => (kind === type ? [`${name} ${data}`] : []));
  const start = async () => {
    child = spawn(daemon, words(configPath), { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await until(`${called} answers`, () => {
      if (child?.exitCode !== null) throw new Error(`${program} ended: ${said}`);
      try {
        return ask(`ns.${FORWARD}`, "A").length > 0;
      } catch {
        return false;
      }
    });
  };
  await start();
  return { server, key, port, ask, transfer, start, stop };
}
