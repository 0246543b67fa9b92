import { useEffect, useState } from "react";

/** So many rows are drawn in one go: a screen full, after which the page answers before it goes on. */
export const MAX_AT_ONCE = 100;

/** How many of so many rows are drawn by now: more with every frame, until all are. */
export function useGrowing(rows: number): number {
  const [drawn, setDrawn] = useState(MAX_AT_ONCE);
  useEffect(() => {
    if (drawn >= rows) return;
    const frame = requestAnimationFrame(() => setDrawn((before) => before + MAX_AT_ONCE));
    return () => cancelAnimationFrame(frame);
  }, [drawn, rows]);
  return Math.min(drawn, rows);
}
