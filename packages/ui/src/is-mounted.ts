import { useEffect, useRef } from "react";

/** Whether what uses it is on the page still: for what is known only after a while. */
export function useIsMounted() {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
