import { useCallback } from "react";
import { useLocation } from "wouter";
import { useIsMounted } from "./is-mounted.ts";

/**
 * Goes to another page when something is done, unless what uses it has gone meanwhile: an answer that comes late takes
 * nobody away from where they went.
 */
export function useNavigateIfMounted() {
  const [, navigate] = useLocation();
  const isMounted = useIsMounted();
  return useCallback(
    (...where: Parameters<typeof navigate>) => {
      if (isMounted.current) navigate(...where);
    },
    [navigate, isMounted],
  );
}
