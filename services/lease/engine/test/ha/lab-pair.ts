import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { HaStatus } from "@frontdesk/lease-control-api/ha";
import { freePort } from "@frontdesk/testkit/free-port";
import { until } from "@frontdesk/testkit/until";
import { type LabEngine, labEngine } from "../lab-engine.ts";
import { type Valve, valve } from "./valve.ts";

const CLI = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));
export const NETWORK = `[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.99"\n`;

type Controlled = Pick<LabEngine, "home" | "url">;

/** leasectl as a person runs it. */
export function leasectl(engine: Controlled, ...words: string[]): Promise<{ code: number; text: string }> {
  const token = readFileSync(join(engine.home, "lease/engine/control-token"), "utf8").trim();
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, "--url", engine.url, "--token", token, ...words],
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === "number" ? error.code : 0, text: (stdout + stderr).trim() }),
    );
  });
}

/** The control API, without a process for each question. */
export async function control<T>(
  engine: Controlled,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const token = readFileSync(join(engine.home, "lease/engine/control-token"), "utf8").trim();
  const reply = await fetch(engine.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export const statusOf = (engine: Controlled) => control<HaStatus>(engine, "GET", "/v1/ha/status");

export const untilBoth = (what: string, engines: readonly Controlled[], state: HaStatus["state"]) =>
  until(what, async () => {
    const all = await Promise.all(engines.map(statusOf));
    return all.every((each) => each.state === state);
  });

export interface PairOptions {
  readonly network?: string;
  /** Added to [ha]. */
  readonly more?: string;
  /** Where the secondary finds the primary, when something stands between the two. */
  readonly through?: number;
  /** What the secondary's process is started by. */
  readonly secondaryIn?: readonly string[];
}

/** Both nodes can have the same settings. */
export const ha = (port: number, enabled: boolean, { network = NETWORK, more = "" }: PairOptions = {}) =>
  `${network}[ha]\nenabled = ${enabled}\nprimary = "127.0.0.1:${port}"\nsecondary = "127.0.0.2:${port}"\n${more}`;

/** An engine that goes with the test. */
export async function labNode(t: TestContext, more: string): Promise<LabEngine> {
  const home = mkdtempSync(join(tmpdir(), "frontdesk-pair-"));
  const engine = await labEngine(home, more);
  t.after(async () => {
    if (engine.process()?.exitCode === null) await engine.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });
  return engine;
}

/** Two engines that are paired, switched on and in normal operation. */
export async function labPair(t: TestContext, options: PairOptions = {}) {
  const port = await freePort();
  const { through = port } = options;
  const between =
    options.through === undefined
      ? undefined
      : await valve(t, { port: options.through, to: { host: "127.0.0.1", port }, from: "127.0.0.2" });
  const settings = (enabled: boolean) => [ha(port, enabled, options), ha(through, enabled, options)];
  const [ofA = "", ofB = ""] = settings(false);
  const [a, b] = [await labNode(t, ofA), await labNode(t, ofB)];
  await Promise.all([a.start(), b.start(options.secondaryIn)]);
  const { code } = await control<{ code: string }>(a, "POST", "/v1/ha/pair");
  await control(b, "POST", "/v1/ha/join", { address: `127.0.0.1:${through}`, code });
  const [onA = "", onB = ""] = settings(true);
  for (const [engine, toml] of [
    [a, onA],
    [b, onB],
  ] as const) {
    await engine.kill("SIGTERM");
    writeFileSync(engine.configPath, engine.toml(toml));
  }
  await Promise.all([a.start(), b.start(options.secondaryIn)]);
  await untilBoth("both are in normal operation", [a, b], "normal");
  // Before that only the primary gives addresses to new clients.
  for (const each of [a, b])
    await until("the plan is agreed upon", async () => (await statusOf(each)).plan?.agreed === true);
  return { a, b, port, between: between as Valve };
}
