import { useCallback, useState } from "react";

/** A dialog that is opened again and again: an answer that comes late closes the opening that it was given in, and no later one. */
export function useOpening() {
  const [opening, setOpening] = useState<symbol>();
  return {
    opened: opening !== undefined,
    open: useCallback(() => setOpening(Symbol()), []),
    close: () => setOpening((now) => (now === opening ? undefined : now)),
  };
}
