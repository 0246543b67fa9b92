/** What is not answered by then is told to whoever waits for it. */
export const LATE_MS = 5_000;
/** Nothing that a page asks for takes a server this long: what is not answered by then is given up. */
export const MAX_ANSWER_MS = 60_000;
/** One with files may have to go over a slow line first. */
export const MAX_UPLOAD_MS = 300_000;

let late = 0;
const listeners = new Set<() => void>();
const count = (change: number) => {
  late += change;
  for (const listener of [...listeners]) listener();
};

/** What the server was asked and has not answered yet. */
export const lateAnswers = {
  areThere: () => late > 0,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/** Waits for an answer, and not for ever. */
export function awaitAnswer(maxMs: number) {
  const controller = new AbortController();
  let isLate = false;
  const lateTimer = setTimeout(() => {
    isLate = true;
    count(1);
  }, LATE_MS);
  const endTimer = setTimeout(() => controller.abort(), maxMs);
  return {
    /** Aborted when it is given up. */
    signal: controller.signal,
    end: () => {
      clearTimeout(lateTimer);
      clearTimeout(endTimer);
      if (isLate) count(-1);
    },
  };
}
