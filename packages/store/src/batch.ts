import type { Batch } from "./store.ts";

export interface OpenBatch extends Batch {
  /** Does what was put off to the end. */
  finish(): Promise<void>;
}

export function openBatch(): OpenBatch {
  const last: Array<() => unknown> = [];
  return {
    beforeCommit: (work) => void last.push(work),
    finish: async () => {
      for (const work of last) await work();
    },
  };
}
