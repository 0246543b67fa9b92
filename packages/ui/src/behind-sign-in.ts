import type { ComponentType } from "react";
import { onFirstAct } from "./first-act.ts";
import { lazyPage } from "./lazy-page.ts";

const PLACE = "frontdesk-signed-in";

/** Whether somebody was signed in when this browser last knew. It decides what is fetched ahead, and nothing else. */
export const signedInBefore = {
  get: (): boolean => {
    try {
      return localStorage.getItem(PLACE) !== null;
    } catch {
      // Storage that is shut off: nothing is fetched ahead.
      return false;
    }
  },
  set: (known: boolean): void => {
    try {
      if (known) localStorage.setItem(PLACE, "yes");
      else localStorage.removeItem(PLACE);
    } catch {
      // As above.
    }
  },
};

/**
 * A console without its page to sign in. Who is signed in gets its files at once, beside the question who that is; who is
 * not, when they begin to type.
 */
export function behindSignIn<P extends object>(load: () => Promise<ComponentType<P>>) {
  // Where it fails, the page itself tries again.
  const ahead = () => void load().catch(() => {});
  if (signedInBefore.get()) ahead();
  else onFirstAct(ahead);
  return lazyPage(load);
}
