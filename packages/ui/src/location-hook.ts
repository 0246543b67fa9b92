import { useCallback } from "react";
import type { BaseLocationHook, HookReturnValue } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { isGuarded, mayLeave } from "./leave-guard.ts";

/** Where the browser is. Going elsewhere asks first while something on the page is unsaved. */
export const useGuardedLocation: BaseLocationHook = (): HookReturnValue<BaseLocationHook> => {
  const [location, navigate] = useBrowserLocation();
  const guarded = useCallback(
    (to: string, options?: { replace?: boolean }) => {
      const stays = new URL(to, window.location.href).pathname === window.location.pathname;
      if (stays || !isGuarded()) return navigate(to, options);
      void mayLeave().then((yes) => {
        if (yes) navigate(to, options);
      });
    },
    [navigate],
  );
  return [location, guarded];
};
