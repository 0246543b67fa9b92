/** A page that nobody looks at draws no frames: what has come is taken up after this time. */
const UNSEEN_MS = 250;

/** When the next frame is drawn, or a while later where none is; answers how to call that off. */
type NextFrame = (act: () => void) => () => void;

const browserFrame: NextFrame = (act) => {
  const once = () => {
    stop();
    act();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_MS);
  const stop = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  return stop;
};

/**
 * Gathers what comes between two frames, in its order: a page that drew after each of a thousand events would do nothing
 * else for many seconds.
 */
export function eachFrame<T>(act: (all: readonly T[]) => void, next: NextFrame = browserFrame) {
  let waiting: T[] = [];
  let callOff: (() => void) | undefined;
  const flush = () => {
    callOff?.();
    callOff = undefined;
    const all = waiting;
    waiting = [];
    if (all.length > 0) act(all);
  };
  return {
    add: (one: T): void => {
      waiting.push(one);
      callOff ??= next(flush);
    },
    /** What has come is taken up at once, and nothing later. */
    end: flush,
  };
}
