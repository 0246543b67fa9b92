import { useCallback, useState } from "react";

/** Below this no table is read well, however few its columns. */
const LEAST_REM = 36;
const GAP_REM = 1;
/** Of a column that says nothing of its own. */
const USUAL_REM = 6;

/** The least width of a CSS grid track: its first length in rem. */
const leastOf = (track: string) => Number(/([\d.]+)rem/.exec(track)?.[1] ?? USUAL_REM);

/**
 * Whether an element is too narrow for columns side by side. By the element's own width: beside the menu, a table on a
 * tablet has less room than on a phone.
 */
export function useIsNarrow(
  tracks: readonly string[],
): [observe: (element: HTMLElement | null) => (() => void) | undefined, isNarrow: boolean] {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  const observe = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const read = () => setWidth(element.clientWidth / remInPixels());
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const wanted = tracks.reduce((sum, track) => sum + leastOf(track), GAP_REM * (tracks.length - 1));
  return [observe, width < Math.max(LEAST_REM, wanted)];
}

const remInPixels = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
