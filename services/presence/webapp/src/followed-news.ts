import { gather } from "@frontdesk/ui/gather";

/** Longer than it takes to tell what was missed after a reconnect. */
export const GATHER_MS = 1_000;

interface News {
  /** The status before the first change. */
  readonly before: string;
  readonly now: string;
  readonly tell: () => void;
}

/**
 * Tells of changed statuses, each member once: after a reconnect all that was missed comes at once, and what somebody
 * was in between is past.
 */
export function createFollowedNews() {
  const waiting = new Map<string, News>();
  const telling = gather(() => {
    for (const { before, now, tell } of waiting.values()) if (now !== before) tell();
    waiting.clear();
  }, GATHER_MS);
  return (memberId: string, { before, now, tell }: News): void => {
    waiting.set(memberId, { before: waiting.get(memberId)?.before ?? before, now, tell });
    telling.soon();
  };
}
