import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { ASK_EVERY_MS, leadByLock, MAX_ASKED } from "../src/lead-by-lock.ts";

/** Tabs of a browser, with the locks of this process and one channel. */
function browser(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ears = new Set<(message: unknown) => void>();
  let lines = 0;
  const tab = (isSeen: boolean) => {
    let [seen, isSuspended, isLeading, isSuccessor] = [isSeen, false, false, false];
    const listeners = new Set<() => void>();
    const resign = leadByLock(
      t.name,
      (isNext) => {
        lines++;
        [isLeading, isSuccessor] = [true, isNext];
        return () => {
          isLeading = false;
        };
      },
      {
        locks: navigator.locks,
        channel: (_name, onMessage) => {
          const ear = (message: unknown) => isSuspended || onMessage(message);
          ears.add(ear);
          return {
            post: (message) => {
              for (const each of ears) if (each !== ear) queueMicrotask(() => each(message));
            },
            close: () => ears.delete(ear),
          };
        },
        sight: {
          isSeen: () => seen,
          onChange: (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
        leadAlone: () => assert.fail("locks are not refused here"),
      },
    );
    t.after(resign);
    return {
      resign,
      leads: () => isLeading,
      isSuccessor: () => isSuccessor,
      look: (next: boolean) => {
        seen = next;
        for (const listener of listeners) listener();
      },
      /** A phone stops everything that the tab does; the locks stay with it. */
      suspend: () => {
        isSuspended = true;
      },
    };
  };
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) await turnOfLoop();
  };
  const named = async (kind: "held" | "pending", name: string) =>
    (await navigator.locks.query())[kind]?.filter((lock) => lock.name === name).length;
  return {
    tab,
    until,
    lines: () => lines,
    /** Until so many tabs stand in line for the lead. */
    untilWaiting: (count: number) => until(async () => (await named("pending", t.name)) === count),
    /** Until it is known whether the one that leads is looked at. */
    untilMarked: (isMarked: boolean) =>
      until(async () => (await named("held", `${t.name} hidden`)) === Number(isMarked)),
    /** Asks until it is so. */
    ask: async (isSo: () => boolean) => {
      while (!isSo()) {
        await turnOfLoop();
        t.mock.timers.tick(ASK_EVERY_MS);
      }
    },
    /** As long as it takes to ask in vain, and more. */
    letAsk: async () => {
      for (let asked = 0; asked < 2 * MAX_ASKED; asked++) {
        // What is asked of the locks is answered.
        for (let turn = 0; turn < 20; turn++) await turnOfLoop();
        t.mock.timers.tick(ASK_EVERY_MS);
      }
    },
  };
}

test("a tab in the background goes on leading where none that is looked at wants to", async (t) => {
  const { tab, until, untilMarked, letAsk, lines } = browser(t);
  const only = tab(true);
  await until(only.leads);
  assert.equal(only.isSuccessor(), false);
  only.look(false);
  await untilMarked(true);
  await letAsk();
  only.look(true);
  await untilMarked(false);
  assert.deepEqual([only.leads(), lines()], [true, 1], "its line was never closed");
});

test("a tab in the background takes the lead when the tab that had it is closed, one after the other", async (t) => {
  const { tab, until, untilWaiting } = browser(t);
  const seen = tab(true);
  await until(seen.leads);
  const first = tab(false);
  await untilWaiting(1);
  const second = tab(false);
  seen.resign();
  await until(first.leads);
  assert.deepEqual([first.isSuccessor(), second.leads()], [true, false]);
  first.resign();
  await until(second.leads);
});

test("a tab that comes into sight leads, before those in the background that have waited longer, and they open no line", async (t) => {
  const { tab, until, untilMarked, untilWaiting, lines } = browser(t);
  const first = tab(false);
  await until(first.leads);
  await untilMarked(true);
  const second = tab(false);
  await untilWaiting(1);
  const third = tab(false);
  third.look(true);
  await until(third.leads);
  await untilMarked(false);
  assert.deepEqual([first.leads(), second.leads(), third.isSuccessor()], [false, false, true]);
  assert.equal(lines(), 2);
});

test("a tab that is looked at keeps the lead, however long others wait and however late it answers", async (t) => {
  const { tab, until, untilWaiting, letAsk, lines } = browser(t);
  const first = tab(true);
  await until(first.leads);
  // Busy, it hears nothing for a while.
  first.suspend();
  const second = tab(true);
  const third = tab(true);
  await untilWaiting(2);
  await letAsk();
  assert.deepEqual([first.leads(), second.leads(), third.leads(), lines()], [true, false, false, 1]);
});

test("a tab that is put in the background hands the lead to one that is looked at", async (t) => {
  const { tab, until, untilWaiting } = browser(t);
  const first = tab(true);
  await until(first.leads);
  const second = tab(true);
  await untilWaiting(1);
  first.look(false);
  await until(() => second.leads() && !first.leads());
});

test("a tab that was suspended with the lead keeps it from nobody who is looked at, and comes back as one of the others", async (t) => {
  const { tab, until, untilMarked, untilWaiting, ask, letAsk } = browser(t);
  const suspended = tab(true);
  await until(suspended.leads);
  suspended.look(false);
  await untilMarked(true);
  suspended.suspend();
  const next = tab(true);
  await untilWaiting(1);
  assert.equal(next.leads(), false);
  await ask(next.leads);
  assert.equal(next.isSuccessor(), true);
  await until(() => !suspended.leads());
  await untilMarked(false);
  const third = tab(true);
  await letAsk();
  assert.deepEqual([next.leads(), third.leads()], [true, false], "the lead is taken once");
});
