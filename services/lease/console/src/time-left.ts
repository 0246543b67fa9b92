import { useEffect, useState } from "react";

const TICK_MS = 1_000;

/**
 * A trial with the moment that it ends, by this page's own count: the browser's clock may be wrong, and
 * the server's is not known.
 */
export const withEnd = <T extends { readonly seconds_left: number }>(trial: T | null) =>
  trial && { ...trial, ends: performance.now() + trial.seconds_left * 1000 };

/** Milliseconds until then, in whole seconds; 0 when it is over. */
export function useTimeLeft(ends: number): number {
  const left = () => Math.max(0, Math.ceil((ends - performance.now()) / TICK_MS) * TICK_MS);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return left();
}
