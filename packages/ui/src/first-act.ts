import { useSyncExternalStore } from "react";

/**
 * Whether somebody has done something on this page yet. Parts that can only be wanted after that (dialogs, messages)
 * are fetched then: not among the first files, and before the server may be away.
 */
let acted = false;
const listeners = new Set<() => void>();

export function act(): void {
  acted = true;
  for (const listener of listeners) listener();
  listeners.clear();
}

if (typeof document !== "undefined") {
  for (const event of ["pointerdown", "keydown"]) {
    document.addEventListener(event, act, { once: true, capture: true });
  }
}

export function onFirstAct(listener: () => void): () => void {
  if (acted) listener();
  else listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useActed = (): boolean => useSyncExternalStore(onFirstAct, () => acted);
