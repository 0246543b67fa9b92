import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Store } from "@frontdesk/store/store";
import type { Tables } from "./tables.ts";

/** Notes when tokens were last used, all in one write from time to time: no request waits for it. */
export function createTokenUsage(store: Store<Tables>, clock: Clock, log: Log) {
  const used = new Map<string, number>();
  return {
    note: (tokenId: string): void => {
      used.set(tokenId, clock.now());
    },
    save: async (): Promise<void> => {
      const notes = [...used];
      used.clear();
      if (notes.length === 0) return;
      try {
        await store.write(async (tx) => {
          for (const [id, at] of notes) {
            await tx.updateTable("tokens").set({ last_used_at: at }).where("id", "=", id).execute();
          }
        });
      } catch (err) {
        log.warn({ err }, "when tokens were last used could not be saved");
      }
    },
  };
}

export type TokenUsage = ReturnType<typeof createTokenUsage>;
