import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { photoPixels } from "../adapters/photos.ts";
import type { StyleOption } from "../domain/design.ts";
import { refuse } from "../domain/errors.ts";
import type { Sight, SmallPhoto, Vision } from "../domain/photo.ts";
import type { ThreadAnswer } from "./face-thread.ts";

const MAX_WAITING = 16;
const RETRY_SECONDS = 5;
const LOOK_LIMIT_MS = 60_000;

export interface LocalVision extends Vision {
  close(): Promise<void>;
}

/** Looks by itself, with a model that comes in a package: no network, one photo at a time, in a thread that starts with the first. */
export function localVision(known: readonly StyleOption[]): LocalVision {
  const valuesOf = (name: string) => known.find((option) => option.name === name)?.values ?? [];
  const palettes = { skin: valuesOf("skinColor"), hair: valuesOf("hairColor") };
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  function running(): Worker {
    if (thread) return thread;
    const started = new Worker(new URL("./face-thread.ts", import.meta.url), { workerData: palettes });
    started.unref();
    started.on("error", () => {});
    started.on("exit", () => {
      if (thread === started) thread = undefined;
    });
    thread = started;
    return started;
  }

  async function lookNow({ jpeg }: SmallPhoto): Promise<Sight> {
    const pixels = await photoPixels(jpeg);
    const worker = running();
    const limit = AbortSignal.timeout(LOOK_LIMIT_MS);
    const answered = once(worker, "message", { signal: limit });
    const ended = once(worker, "exit", { signal: limit }).then(() => {
      throw new Error("the thread that looks at photos ended");
    });
    worker.postMessage(pixels, [pixels.data.buffer as ArrayBuffer]);
    try {
      const [answer] = (await Promise.race([answered, ended])) as [ThreadAnswer];
      if ("error" in answer) throw new Error(answer.error);
      return answer.sight;
    } catch (error) {
      // It may still be at it: what it answers then is no answer to the next photo.
      await worker.terminate();
      throw error;
    } finally {
      answered.catch(() => {});
      ended.catch(() => {});
    }
  }

  return {
    look: async (photo) => {
      if (waiting >= MAX_WAITING) throw refuse("overloaded", RETRY_SECONDS);
      waiting += 1;
      const before = last;
      const looked = before.catch(() => {}).then(() => lookNow(photo));
      last = looked;
      try {
        return await looked;
      } finally {
        waiting -= 1;
      }
    },
    close: async () => {
      await thread?.terminate();
    },
  };
}
