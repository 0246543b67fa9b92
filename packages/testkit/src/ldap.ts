import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { debianProgram } from "./debian.ts";
import { freePort } from "./free-port.ts";
import { temporaryHome } from "./temporary-home.ts";
import { tetheredProcess } from "./tethered-process.ts";

const BASE = "dc=example,dc=org";
const ADMIN = `cn=admin,${BASE}`;
const PASSWORD = "p:ss/w@rd";
const START_LIMIT_MS = 20_000;

export interface LdapServer {
  /** With the administrator's name and password, and the base: what `AVATAR_DIRECTORY_URL` takes. */
  readonly url: URL;
  readonly base: string;
  stop(): Promise<void>;
}

export interface LdapPerson {
  readonly uid: string;
  readonly mail: string;
}

/** A real OpenLDAP with some people in it, gone when the test ends; undefined where there is none and none can be installed. */
export async function ldapServer(
  t: Pick<TestContext, "after" | "skip">,
  people: readonly LdapPerson[],
): Promise<LdapServer | undefined> {
  const slapd = debianProgram(t, "slapd", "slapd");
  if (!slapd) return undefined;
  const folder = temporaryHome(t);
  const data = join(folder, "data");
  mkdirSync(data);
  const config = join(folder, "slapd.conf");
  writeFileSync(config, configuration(folder, data), { mode: 0o600 });
  chmodSync(folder, 0o700);
  const entries = join(folder, "people.ldif");
  writeFileSync(entries, ldif(people));
  execFileSync("/usr/sbin/slapadd", ["-f", config, "-l", entries], { stdio: "pipe" });

  const port = await freePort();
  const server = tetheredProcess(slapd, ["-d", "0", "-f", config, "-h", `ldap://127.0.0.1:${port}/`]);
  t.after(() => server.stop());
  await untilItListens(port);
  const url = new URL(`ldap://127.0.0.1:${port}/${encodeURIComponent(BASE)}`);
  url.username = encodeURIComponent(ADMIN);
  url.password = encodeURIComponent(PASSWORD);
  return { url, base: BASE, stop: () => server.stop() };
}

function configuration(folder: string, data: string): string {
  const schemas = ["core", "cosine", "inetorgperson"].map(
    (name) => `include /etc/ldap/schema/${name}.schema`,
  );
  return [
    ...schemas,
    `pidfile ${join(folder, "slapd.pid")}`,
    "modulepath /usr/lib/ldap",
    "moduleload back_mdb",
    "database mdb",
    `suffix "${BASE}"`,
    `rootdn "${ADMIN}"`,
    `rootpw ${PASSWORD}`,
    `directory ${data}`,
    "",
  ].join("\n");
}

function ldif(people: readonly LdapPerson[]): string {
  const organisation = [
    `dn: ${BASE}`,
    "objectClass: dcObject",
    "objectClass: organization",
    "dc: example",
    "o: Example",
  ];
  const entries = people.map(({ uid, mail }) => [
    `dn: uid=${uid},${BASE}`,
    "objectClass: inetOrgPerson",
    `uid: ${uid}`,
    `cn: ${uid}`,
    "sn: unknown",
    `mail: ${mail}`,
  ]);
  return [organisation, ...entries].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

async function untilItListens(port: number): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const open = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    if (Date.now() > deadline) throw new Error("slapd did not start");
    await delay(50);
  }
}
