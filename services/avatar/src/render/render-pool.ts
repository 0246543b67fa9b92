import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { DomainError } from "@frontdesk/kit/domain-error";
import { Piscina } from "piscina";
import type { Picture } from "../domain/picture.ts";
import type { Face, Faces } from "../domain/read-avatar.ts";

const MOST_WAITING = 2_048;
/** Enough that a thread finds its next task without waiting for the event loop. */
const TASKS_PER_THREAD = 4;

export interface RenderPool extends Faces {
  readonly threads: Piscina["threads"];
  close(): Promise<void>;
}

/** Draws off the event loop, on every core. A thread that dies is replaced, and what it had is drawn again. */
export function createRenderPool(): RenderPool {
  const threads = availableParallelism();
  const pool = new Piscina<Face, Picture>({
    filename: fileURLToPath(new URL("./render-face.ts", import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: TASKS_PER_THREAD,
    maxQueue: MOST_WAITING,
  });
  return {
    get threads() {
      return pool.threads;
    },
    draw: async (face) => {
      if (pool.queueSize >= MOST_WAITING) throw new DomainError("overloaded", { retryAfterSeconds: 1 });
      try {
        return await pool.run(face);
      } catch {
        return await pool.run(face);
      }
    },
    close: () => pool.close(),
  };
}
