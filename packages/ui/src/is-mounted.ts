import { useLayoutEffect, useRef } from "react";

/** Whether what uses it is on the page still: for what is known only after a while. */
export function useIsMounted() {
  const isMounted = useRef(false);
  // At once when it goes: an answer may come before effects are cleaned up.
  useLayoutEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
