import { useRef } from "react";
import { changedFields } from "./changed-fields.ts";
import { isRefusal } from "./refusal.ts";

/**
 * Sends of a form what differs from what is stored; nothing where nothing does. Where the answer to an earlier try was lost, it is
 * not known what is stored: what that try had sent is sent again, whatever it is.
 */
export function useSendChanged<Fields extends object>() {
  const unsure = useRef<readonly string[]>([]);
  return async (stored: Fields, now: Fields, send: (json: Partial<Fields>) => Promise<unknown>) => {
    const known = Object.entries(stored).filter(([name]) => !unsure.current.includes(name));
    const json = changedFields<Partial<Fields>>(Object.fromEntries(known) as Partial<Fields>, now);
    if (!json) return;
    try {
      await send(json);
      unsure.current = [];
    } catch (error) {
      if (!isRefusal(error)) unsure.current = Object.keys(json);
      throw error;
    }
  };
}
