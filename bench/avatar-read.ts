import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { randomHash } from "./avatar-read/random-hash.ts";
import { rawRendersPerSecond } from "./avatar-read/raw-renderer.ts";
import { startChild } from "./tools/child.ts";
import { machine, table, whole } from "./tools/table.ts";
import { installWrk, wrk } from "./tools/wrk.ts";

const WARM_UP_SECONDS = 2;
/** Public reads, cold (every hash new) and hot (1,000 hashes again and again), beside limit and peer. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const HOT_HASHES = 1_000;
const DISTINCT_HASHES = 200_000;
const PICTURES = [
  { name: "PNG 80", query: "?s=80", format: "png", size: 80 },
  { name: "PNG 512", query: "?s=512", format: "png", size: 512 },
  { name: "SVG", query: "?fmt=svg", format: "svg", size: 80 },
] as const;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

installWrk();
installPeers();
console.log(machine());

const hotHashes = Array.from({ length: HOT_HASHES }, randomHash);
const rows = [];
for (const picture of PICTURES) {
  const ours = await withService((url) => load(url, () => coldScript(picture.query)));
  const limit = await rawRendersPerSecond({ ...picture, seconds: SECONDS });
  const peer = await withPeer((url) => load(url, () => coldScript(picture.query)));
  rows.push(row(`cold ${picture.name}`, ours, limit, peer));
}
for (const picture of PICTURES) {
  const script = () => hotScript(picture.query);
  let type = "";
  const file = join(scratch, "picture");
  const ours = await withService(async (url) => {
    for (const hash of hotHashes) {
      const reply = await fetch(`${url}/${hash}${picture.query}`);
      type = reply.headers.get("content-type") ?? "";
      writeFileSync(file, Buffer.from(await reply.arrayBuffer()));
    }
    return load(url, script);
  });
  const bare = await startChild<{ url: string }>(here("avatar-read/bare-server.ts"), [file, type]);
  const limit = await load(bare.message.url, script);
  await bare.stop();
  const peer = await withPeer((url) => load(url, script));
  rows.push(row(`hot ${picture.name}`, ours, limit.perSecond, peer));
}
console.log(
  table(
    ["reads per second", "ours", "limit", "of limit", "peer", "times peer", "p50 ms", "p99 ms", "failures"],
    rows,
  ),
);
await withService(reportMemory);

type Measured = Awaited<ReturnType<typeof wrk>>;

/** Everyone is measured warm; a script made anew asks for hashes that the warm-up did not. */
async function load(url: string, script: () => string): Promise<Measured> {
  await wrk(url, script(), WARM_UP_SECONDS);
  return wrk(url, script(), SECONDS);
}

function row(name: string, ours: Measured, limit: number, peer: Measured): Array<string | number> {
  const { perSecond, p50Ms, p99Ms, failures } = ours;
  const ratio = (value: number) => value.toFixed(2);
  return [
    name,
    whole(perSecond),
    whole(limit),
    ratio(perSecond / limit),
    whole(peer.perSecond),
    ratio(perSecond / peer.perSecond),
    p50Ms,
    p99Ms,
    failures,
  ];
}

async function withService<T>(work: (url: string, pid: number) => Promise<T>): Promise<T> {
  const listen = `127.0.0.1:${await freePort()}`;
  const home = mkdtempSync(join(scratch, "home-"));
  const main = here("../services/avatar/src/main.ts");
  const service = await startChild(main, [], {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: listen,
    AVATAR_API_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  try {
    return await work(`http://${listen}`, service.process.pid ?? 0);
  } finally {
    await service.stop();
  }
}

async function withPeer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const peer = await startChild<{ url: string }>(here("peers/dicebear-server.js"));
  try {
    return await work(peer.message.url);
  } finally {
    await peer.stop();
  }
}

function coldScript(query: string): string {
  return script(`
    math.randomseed(${Math.floor(Math.random() * 1e9)})
    local function chunk() return string.format("%04x", math.random(0, 65535)) end
    request = function()
      local parts = {}
      for i = 1, 16 do parts[i] = chunk() end
      return wrk.format("GET", "/" .. table.concat(parts) .. "${query}")
    end`);
}

function hotScript(query: string): string {
  return script(`
    local hashes = { ${hotHashes.map((hash) => `"${hash}"`).join(",")} }
    local next = 0
    request = function()
      next = next % #hashes + 1
      return wrk.format("GET", "/" .. hashes[next] .. "${query}")
    end`);
}

function script(lua: string): string {
  const file = join(scratch, "load.lua");
  writeFileSync(file, lua);
  return file;
}

/** Reads many distinct hashes and watches the memory of the process. */
async function reportMemory(url: string, pid: number): Promise<void> {
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const figures: string[] = [];
  let next = 0;
  const readUntilDone = async () => {
    for (let i = next++; i < DISTINCT_HASHES; i = next++) {
      const reply = await fetch(`${url}/${randomHash()}?s=32&d=identicon`);
      await reply.arrayBuffer();
      if ((i + 1) % (DISTINCT_HASHES / 8) === 0) figures.push(`${whole(i + 1)}: ${whole(rss())} MiB`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, readUntilDone));
  console.log(`\nmemory of the process after distinct hashes: ${figures.join(", ")}`);
}

function installPeers(): void {
  if (existsSync(here("peers/node_modules/@dicebear/converter"))) return;
  console.log("installing the peer …");
  execFileSync("npm", ["install", "--no-save", "--loglevel=error"], { cwd: here("peers"), stdio: "inherit" });
}
