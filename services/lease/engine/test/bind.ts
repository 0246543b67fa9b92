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

/** A BIND 9 of the test's own, whose zones take updates that are signed; undefined where there is none to be had. */
export async function startBind(t: TestContext, { tsig = "hmac-sha256" as TsigKey["algorithm"] } = {}) {
  const named = debianProgram(t, "named", "bind9");
  const dig = debianProgram(t, "dig", "bind9-dnsutils");
  if (!named || !dig) return undefined;
  const folder = temporaryHome(t);
  const port = await freePort();
  const key: TsigKey = { name: "lease-key", algorithm: tsig, secret: randomBytes(32) };
  const keys = `key "lease-key" { algorithm ${tsig}; secret "${Buffer.from(key.secret).toString("base64")}"; };`;
  const zone = (name: string, updates = `key "lease-key"`) => {
    const file = join(folder, `${name}.zone`);
    const start = `$TTL 60\n@ IN SOA ns.${FORWARD}. hostmaster.${FORWARD}. 1 60 60 600 60\n@ IN NS ns.${FORWARD}.\n`;
    writeFileSync(
      file,
      `${start}${name.endsWith("example") ? "ns IN A 127.0.0.1\nbyhand IN A 10.77.9.9\n" : ""}`,
    );
    return `zone "${name}" { type primary; file "${file}"; allow-update { ${updates}; }; notify no; };`;
  };
  mkdirSync(join(folder, "run"));
  const config = join(folder, "named.conf");
  writeFileSync(
    config,
    `${keys}
options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "${folder}/run/named.pid";
  session-keyfile "${folder}/run/session.key"; recursion no; dnssec-validation no; allow-query { any; }; allow-transfer { any; }; empty-zones-enable no; };
controls {};
logging { channel c { stderr; severity warning; }; category default { c; }; };
${[FORWARD, REVERSE, REVERSE6, CLASSLESS].map((name) => zone(name)).join("\n")}
${zone("frozen.example", "none")}
`,
  );
  chmodSync(folder, 0o777);
  const server: DnsServer = { host: "127.0.0.1", port, key };
  const ask = (name: string, type: string): string[] =>
    execFileSync(dig, [`@127.0.0.1`, "-p", String(port), "+short", "+time=2", "+tries=1", name, type], {
      encoding: "utf8",
    })
      .split("\n")
      .filter((line) => line && !line.startsWith(";"))
      .sort();
  /** All records of a type in a zone, as `name data`. */
  const transfer = (zone: string, type: string): string[] =>
    execFileSync(dig, ["@127.0.0.1", "-p", String(port), "+noall", "+answer", zone, "AXFR"], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    })
      .split("\n")
      .map((line) => line.split(/\s+/))
      .flatMap(([name, , , kind, data]) => (kind === type ? [`${name} ${data}`] : []))
      .sort();
  let child: ReturnType<typeof spawn> | undefined;
  const start = async () => {
    child = spawn(named, ["-g", "-c", config], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await until("BIND answers", () => {
      if (child?.exitCode !== null) throw new Error(`named ended: ${said}`);
      try {
        return ask(`ns.${FORWARD}`, "A").length > 0;
      } catch {
        return false;
      }
    });
  };
  const stop = async () => {
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  t.after(stop);
  await start();
  return { server, key, port, ask, transfer, start, stop };
}
