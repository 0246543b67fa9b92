import { useCallback } from "react";
import type { BaseLocationHook, HookReturnValue } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { isGuarded, mayLeave } from "./leave-guard.ts";

/** Where the browser is. Going elsewhere asks first while something on the page is unsaved. */
export const useGuardedLocation: BaseLocationHook = (): HookReturnValue<BaseLocationHook> => {
  const [location, navigate] = useBrowserLocation();
  const guarded = useCallback(
    (to: string, options?: { replace?: boolean; state?: unknown }) => {
      const stays = new URL(to, window.location.href).pathname === window.location.pathname;
      if (stays || !isGuarded()) return navigate(to, options);
      void mayLeave("page").then((yes) => {
        if (yes) navigate(to, options);
      });
    },
    [navigate],
  );
  return [location, guarded];
};

/**
 * Asks before Back and Forward leave a guarded page. Browsers have gone before they tell: the page's entry is put on
 * top again, and whoever wants to leave goes back from it.
 */
export function guardHistory(): void {
  let here = window.location.href;
  let isAsking = false;
  let isLeaving = false;
  const arrive = () => {
    here = window.location.href;
    isLeaving = false;
  };
  // The router's own events, for `pushState` and `replaceState` have none.
  for (const event of ["pushState", "replaceState"]) window.addEventListener(event, arrive);
  const onPop = async (event: PopStateEvent) => {
    const stays = new URL(here).pathname === window.location.pathname;
    if (stays || isLeaving || !isGuarded()) return arrive();
    // Before the router hears of it.
    event.stopImmediatePropagation();
    window.history.pushState(null, "", here);
    if (isAsking) return;
    isAsking = true;
    const asked = here;
    const isAgreed = await mayLeave("page");
    isAsking = false;
    // The page may be left by then, by itself or by another Back: the answer is about no other.
    isLeaving = isAgreed && here === asked;
    if (isLeaving) window.history.back();
  };
  window.addEventListener("popstate", (event) => void onPop(event), { capture: true });
}
