import type { Clock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { type Author, assertStillAllowed } from "./author.ts";
import type { Desk, Rows } from "./rows.ts";

/** What somebody is about to do. */
export interface Act {
  readonly author: Author;
  readonly action: string;
  readonly subject?: string | null;
  readonly details?: string | null;
}

/** An act of several steps asks before each whether its author is still allowed to do it. */
export type Audited = <T>(act: Act, does: (assertAllowed: () => Promise<void>) => Promise<T>) => Promise<T>;

/**
 * Tells the audit log of an act before it is done, if its author is still allowed to do it: whoever is killed in between
 * has not acted unseen. Where it is refused or fails, a second entry says so.
 */
export function createAudited(desk: Desk, clock: Clock): Audited {
  const tell = (rows: Rows, { author: { actor }, action, subject = null, details = null }: Act) =>
    rows.audit.add({ at: clock.now(), actor, action, subject, details });

  return async (act, does) => {
    await desk.write(async (rows) => {
      await assertStillAllowed(rows, act.author);
      await tell(rows, act);
    });
    try {
      return await does(() => assertStillAllowed(desk.read, act.author));
    } catch (error) {
      const details = error instanceof DomainError ? error.code : null;
      // Whoever acted is told of the failure itself, not of the log's.
      const failed = { ...act, action: `${act.action}_failed`, details };
      await desk.write((rows) => tell(rows, failed)).catch(() => {});
      throw error;
    }
  };
}
