import type { FastifyReply } from "fastify";

/** How many are kept: each may be some megabytes long. */
const MAX_TEXTS = 32;

interface Kept {
  readonly state: string;
  readonly text: Promise<string>;
  /** Until when it is right by itself; nothing is known of that while it is being made. */
  until: number;
}

/**
 * What is the same for many readers and takes long to make is made once for as long as the state that it is made of is the
 * same, also for those who ask while it is being made.
 */
export function createCommonTexts(now: () => number) {
  const kept = new Map<string, Kept>();
  return async (
    name: string,
    state: string,
    make: () => Promise<{ readonly text: string; readonly until: number }>,
  ): Promise<string> => {
    const known = kept.get(name);
    kept.delete(name);
    if (known?.state === state && known.until > now()) {
      // Put behind the others: the first is the one that nobody asked for the longest.
      kept.set(name, known);
      return known.text;
    }
    const text = make().then(
      (result) => {
        made.until = result.until;
        return result.text;
      },
      (error) => {
        if (kept.get(name) === made) kept.delete(name);
        throw error;
      },
    );
    const made: Kept = { state, text, until: Number.POSITIVE_INFINITY };
    kept.set(name, made);
    for (const [oldest] of kept) {
      if (kept.size <= MAX_TEXTS) break;
      kept.delete(oldest);
    }
    return text;
  };
}

/** Answers with the fields of an object and, behind them, those of one that is text already. */
export const sendTogether = (reply: FastifyReply, own: object, common: string): FastifyReply =>
  reply
    .type("application/json; charset=utf-8")
    .send(`${JSON.stringify(own).slice(0, -1)},${common.slice(1)}`);
