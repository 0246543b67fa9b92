import { freemem } from "node:os";

/** How many of a thing that takes so much memory fit in what is free: one is tried in any case. */
export function roomFor(bytes, free = freeMemory()) {
  return Math.max(1, Math.floor(free / bytes));
}

/** A container may have less than its machine; Node 18 cannot tell. */
const freeMemory = () => process.availableMemory?.() ?? freemem();

/** Does something with each item, with so many at once. When one fails, those under way are waited for, no other is begun. */
export async function soManyAtOnce(limit, items, work) {
  const waiting = [...items];
  const takeTurns = async () => {
    try {
      while (waiting.length > 0) await work(waiting.shift());
    } finally {
      waiting.length = 0;
    }
  };
  const turns = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, takeTurns));
  for (const { reason } of turns) if (reason) throw reason;
}
