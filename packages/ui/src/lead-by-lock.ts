import type { Tabs } from "./tabs.ts";

/** How often a tab that is looked at asks one that is not for the lead. */
export const ASK_EVERY_MS = 500;
/** After that many it was suspended with the lead, as phones do with tabs in the background. */
export const MAX_ASKED = 4;

/** Whether a tab is looked at. */
export interface Sight {
  readonly isSeen: () => boolean;
  readonly onChange: (listener: () => void) => () => void;
}

export interface LeadParts {
  readonly locks: Pick<LockManager, "request" | "query">;
  readonly channel: Tabs["channel"];
  readonly sight: Sight;
  /** Leads where the browser refuses locks, as it does where site data is blocked. */
  readonly leadAlone: () => () => void;
}

/** The one message: a tab that is looked at waits, and whoever leads without being looked at gives the lead back. */
const YIELD = "yield";

/**
 * Leads while this tab has the lock `name`. Tabs that are looked at wait for it in line; of the others one at a time does,
 * the one that has the lock `gate`, and it leads only while nobody else waits. The lock `hidden` tells that whoever leads
 * is not looked at: only from such a tab the lead is ever taken.
 */
export function leadByLock(
  name: string,
  begin: (isSuccessor: boolean) => () => void,
  { locks, channel, sight, leadAlone }: LeadParts,
): () => void {
  const [gate, hidden] = [`${name} gate`, `${name} hidden`];
  let isOver = false;
  let isFirst = true;
  let isStealing = false;
  /** Ends the lead that this tab has. */
  let leave: (() => void) | undefined;
  let unmark = () => {};
  let waiting = new AbortController();
  let asking: ReturnType<typeof setTimeout> | undefined;
  let endAlone = () => {};

  const others = channel(`${name} lead`, (message) => {
    if (message === YIELD && !sight.isSeen()) leave?.();
  });
  const doesSomebodyWait = async () =>
    (await locks.query()).pending?.some((request) => request.name === name) === true;

  /** Tells all tabs that this one leads without being looked at. */
  const mark = () => {
    const { promise: unmarked, resolve } = Promise.withResolvers<void>();
    unmark = resolve;
    return new Promise<void>((isMarked) => {
      const marking = locks.request(hidden, () => {
        isMarked();
        return unmarked;
      });
      // Taken away with the lead.
      marking.catch(() => {});
    });
  };
  const hide = async () => {
    // In this order, and whoever begins to wait asks afterwards: one of the two notices the other.
    await mark();
    if (!sight.isSeen() && (await doesSomebodyWait())) leave?.();
  };

  const hold = async (isSuccessor: boolean) => {
    if (!sight.isSeen() && (await doesSomebodyWait())) return;
    if (isOver) return;
    clearTimeout(asking);
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const stop = begin(isSuccessor);
    leave = () => {
      leave = undefined;
      stop();
      unmark();
      resolve();
    };
    if (!sight.isSeen()) void hide();
    await left;
  };

  /** Asks for the lead, and takes it where nobody answers. */
  const ask = async (asked = 0) => {
    const isHidden = (await locks.query()).held?.some((lock) => lock.name === hidden) === true;
    if (isOver || leave || !sight.isSeen() || !isHidden) return;
    if (asked === MAX_ASKED) {
      isStealing = true;
      return waiting.abort();
    }
    others.post(YIELD);
    clearTimeout(asking);
    asking = setTimeout(() => void ask(asked + 1), ASK_EVERY_MS);
  };

  const take = async () => {
    const { signal } = waiting;
    if (isFirst) {
      isFirst = false;
      const isTaken = await locks.request(name, { ifAvailable: true }, async (lock) => {
        if (lock) await hold(false);
        return lock !== null;
      });
      if (isTaken) return;
    }
    if (isStealing) {
      isStealing = false;
      void locks.request(hidden, { steal: true }, () => {});
      return locks.request(name, { steal: true }, () => hold(true));
    }
    const wait = () => locks.request(name, { signal }, () => hold(true));
    if (!sight.isSeen()) return locks.request(gate, { signal }, wait);
    const turn = wait();
    void ask();
    return turn;
  };
  const run = async () => {
    while (!isOver) {
      waiting = new AbortController();
      try {
        await take();
      } catch (error) {
        // Taken by another tab, or given up in order to wait in another way.
        leave?.();
        if ((error as Error).name === "AbortError") continue;
        if (!isOver) endAlone = leadAlone();
        return;
      }
    }
  };
  const stopLooking = sight.onChange(() => {
    if (!leave) waiting.abort();
    else if (sight.isSeen()) unmark();
    else void hide();
  });
  void run();
  return () => {
    isOver = true;
    stopLooking();
    clearTimeout(asking);
    leave?.();
    endAlone();
    waiting.abort();
    others.close();
  };
}
