import { type RefObject, useEffect, useRef } from "react";

/**
 * For the field that has the focus when its page appears. Focusing has the browser lay out the whole page at once; after
 * the task that renders it, the two do not hold up a phone together, as they would by `autoFocus`.
 */
export function useSoonFocused<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      // Whoever was quicker keeps it.
      if (document.activeElement === document.body) field.current?.focus();
    });
    return () => clearTimeout(timer);
  }, []);
  return field;
}
