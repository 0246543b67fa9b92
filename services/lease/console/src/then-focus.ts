import type { RefObject } from "react";
import { flushSync } from "react-dom";

/** For what goes with the focus in it: another control gets it, and whoever works by keyboard stays at the place. */
export function thenFocus(to: RefObject<HTMLElement | null>, act: () => void): void {
  flushSync(act);
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) to.current?.focus();
}
