import { useCallback, useRef, useState } from "react";

/** A dialog that is opened again and again: an answer that comes late closes the opening that it was given in, and no later one. */
export function useOpening() {
  const [opening, setOpening] = useState<number>();
  const times = useRef(0);
  return {
    opened: opening !== undefined,
    open: useCallback(() => setOpening(++times.current), []),
    /** How many times it was opened. */
    times: times.current,
    close: () => setOpening((now) => (now === opening ? undefined : now)),
  };
}
