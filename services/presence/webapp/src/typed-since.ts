import { useRef } from "react";
import { changedFields } from "./changed-fields.ts";

/**
 * For the answer to a form: whether something else was typed into it since it was sent. Then it stays as it is, and open, as
 * whoever typed that has not sent it yet.
 */
export function useTypedSince<Fields extends object>(now: Fields): () => boolean {
  const latest = useRef(now);
  latest.current = now;
  return () => changedFields(now, latest.current) !== undefined;
}
