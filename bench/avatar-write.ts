import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { freePort } from "@frontdesk/testkit/free-port";
import { benchHash, seedSaved, seedSignedIn } from "./avatar-write/seeded-home.ts";
import { startChild } from "./tools/child.ts";
import { machine, table, whole } from "./tools/table.ts";
import { installWrk, wrk } from "./tools/wrk.ts";

/** Saves beside their limit, reads of what was saved beside the bare server, and a large database beside a small one. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const LARGE = Number(process.env.BENCH_ACCOUNTS ?? 1_000_000);
const SMALL = 1_000;
const WARM_UP_SECONDS = 2;
const SAVERS = 16;
const PICTURE_BYTES = 6_000;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const newFolder = (name: string) => mkdtempSync(join(scratch, `${name}-`));

installWrk();
console.log(machine());

const saves = [];
for (const addresses of [1, 5, 20]) {
  // Right before each, so that what else the machine does weighs on both alike.
  const limit = await rawSavesPerSecond();
  const { perSecond, p50Ms, p99Ms, failures } = await savesPerSecond(addresses);
  saves.push([
    `${addresses} verified`,
    perSecond.toFixed(1),
    limit.toFixed(1),
    (perSecond / limit).toFixed(2),
    p50Ms,
    p99Ms,
    failures,
  ]);
}
console.log(table(["saves per second", "ours", "limit", "of limit", "p50 ms", "p99 ms", "failures"], saves));

const pictures = Array.from({ length: 100 }, () => randomBytes(PICTURE_BYTES));
const small = await readsPerSecond(SMALL, SMALL);
const file = join(scratch, "picture");
writeFileSync(file, pictures[0] as Uint8Array);
const bare = await startChild<{ url: string }>(here("avatar-read/bare-server.ts"), [file, "image/gif"]);
const bareReads = await load(bare.message.url, SMALL);
await bare.stop();
const [large = 0, spread = 0] = await largeReads();
const ratio = (one: number, other: number) => (one / other).toFixed(2);
console.log(
  table(
    ["reads of saved avatars per second", "reads", "beside", "ratio"],
    [
      [
        `hot, ${whole(SMALL)} accounts, beside the bare server`,
        whole(small),
        whole(bareReads),
        ratio(small, bareReads),
      ],
      [
        `hot, ${whole(LARGE)} accounts, beside ${whole(SMALL)}`,
        whole(large),
        whole(small),
        ratio(large, small),
      ],
      [
        `100 000 different hashes of ${whole(LARGE)}, beside ${whole(SMALL)}`,
        whole(spread),
        whole(small),
        ratio(spread, small),
      ],
    ],
  ),
);

async function rawSavesPerSecond(): Promise<number> {
  const workers = Array.from(
    { length: availableParallelism() },
    () =>
      new Worker(here("avatar-write/raw-saver.ts"), {
        workerData: { folder: newFolder("raw"), seconds: SECONDS },
      }),
  );
  const counts = await Promise.all(
    workers.map(async (worker) => (await once(worker, "message"))[0] as number),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function savesPerSecond(addresses: number) {
  const house = newFolder("home");
  const cookies = await seedSignedIn(house, SAVERS, addresses);
  return withService(house, async ({ api }) => {
    const took: number[] = [];
    let failures = 0;
    const run = async (seconds: number, counting: boolean) => {
      const until = performance.now() + seconds * 1000;
      await Promise.all(
        cookies.map(async (cookie) => {
          while (performance.now() < until) {
            const began = performance.now();
            const reply = await fetch(`${api}/me/avatar`, {
              method: "POST",
              headers: { cookie, "content-type": "application/json" },
              body: JSON.stringify({ collection: "personas", seed: randomBytes(16).toString("hex") }),
            });
            await reply.arrayBuffer();
            if (!counting) continue;
            if (reply.ok) took.push(performance.now() - began);
            else failures += 1;
          }
        }),
      );
    };
    await run(WARM_UP_SECONDS, false);
    const began = performance.now();
    await run(SECONDS, true);
    const perSecond = took.length / ((performance.now() - began) / 1000);
    took.sort((one, other) => one - other);
    const at = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0);
    return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), failures };
  });
}

async function readsPerSecond(accounts: number, asked: number): Promise<number> {
  const house = newFolder("home");
  await seedSaved(house, accounts, pictures);
  return withService(house, ({ media }) => load(media, asked));
}

async function largeReads(): Promise<number[]> {
  const house = newFolder("home");
  await seedSaved(house, LARGE, pictures);
  return withService(house, async ({ media }) => [await load(media, SMALL), await load(media, 100_000)]);
}

/** Asks for so many of the hashes, spread over all there are. */
async function load(url: string, asked: number): Promise<number> {
  const hashes = Array.from({ length: asked }, (_, i) =>
    benchHash(asked === SMALL ? i : Math.floor((i / asked) * LARGE)),
  );
  const list = join(scratch, `hashes-${asked}`);
  writeFileSync(list, hashes.join("\n"));
  const script = join(scratch, `ask-${asked}.lua`);
  writeFileSync(
    script,
    `local hashes = {}
for line in io.lines("${list}") do hashes[#hashes + 1] = line end
request = function() return wrk.format("GET", "/" .. hashes[math.random(#hashes)] .. "?s=80") end\n`,
  );
  await wrk(url, script, WARM_UP_SECONDS);
  const { perSecond, failures } = await wrk(url, script, SECONDS);
  if (failures > 0) throw new Error(`${failures} reads failed`);
  return perSecond;
}

async function withService<T>(
  house: string,
  work: (urls: { media: string; api: string }) => Promise<T>,
): Promise<T> {
  const [media, api] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const service = await startChild(here("../services/avatar/src/main.ts"), [], {
    FRONTDESK_HOME: house,
    AVATAR_MEDIA_LISTEN: media,
    AVATAR_API_LISTEN: api,
    AVATAR_WRITES: "1000000",
  });
  try {
    return await work({ media: `http://${media}`, api: `http://${api}` });
  } finally {
    await service.stop();
  }
}
