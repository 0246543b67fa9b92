import { Worker } from "node:worker_threads";
import type { Replay } from "@frontdesk/lease-control-api/replay";
import type { ReplayStart } from "./replay-worker.ts";

/** Replays in a thread of their own, one at a time: neither packets nor other calls wait for them. */
export function createReplays(): (start: ReplayStart) => Promise<Replay> {
  let last: Promise<unknown> = Promise.resolve();
  return (start) => {
    const done = last.then(() => runReplay(start));
    last = done.catch(() => {});
    return done;
  };
}

function runReplay(workerData: ReplayStart): Promise<Replay> {
  const worker = new Worker(new URL("./replay-worker.ts", import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the replay ended without a result")));
  });
}
