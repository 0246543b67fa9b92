import { useRef } from "react";

/**
 * Whether a question has been answered once, be it by a refusal. One that was refused waits anew when it is asked again:
 * what came with the first answer stays then, with what was typed in it.
 */
export function useOnceAnswered(isPending: boolean): boolean {
  const isAnswered = useRef(false);
  if (!isPending) isAnswered.current = true;
  return isAnswered.current;
}
