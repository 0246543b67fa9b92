import type { TestContext } from "node:test";

export type Closing = Pick<TestContext, "after">;

const closings = new WeakMap<object, Closing>();

/** What a test opened last is closed first: a service before the database it stands on. */
export function lastInFirstOut(t: Closing): Closing {
  const known = closings.get(t);
  if (known) return known;
  const closers: Array<() => unknown> = [];
  t.after(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const closing = { after: (close: () => unknown) => void closers.push(close) } as Closing;
  closings.set(t, closing);
  closings.set(closing, closing);
  return closing;
}
