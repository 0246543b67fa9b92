import type { ComponentType } from "react";
import { onFirstAct } from "./first-act.ts";
import { lazyPage } from "./lazy-page.ts";
import { signedInBefore } from "./signed-in-before.ts";

/**
 * A console without its page to sign in. Who is signed in gets its files at once, beside the question who that is; who is
 * not, when they begin to type.
 */
export function behindSignIn<P extends object>(load: () => Promise<ComponentType<P>>) {
  // Where it fails, the page itself tries again.
  const ahead = () => void load().catch(() => {});
  if (signedInBefore.get() === "yes") ahead();
  else onFirstAct(ahead);
  return lazyPage(load);
}
