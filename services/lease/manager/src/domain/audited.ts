import type { Clock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { type Author, assertStillAllowed } from "./author.ts";
import { refuse } from "./codes.ts";
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
export function createAudited(
  desk: Desk,
  clock: Clock,
): { readonly audited: Audited; readonly alone: Audited } {
  const tell = (rows: Rows, { author: { actor }, action, subject = null, details = null }: Act) =>
    rows.audit.add({ at: clock.now(), actor, action, subject, details });

  const told: Audited = async (act, does) => {
    await desk.write(async (rows) => {
      await assertStillAllowed(rows, act.author, clock.now());
      await tell(rows, act);
    });
    try {
      return await does(() => assertStillAllowed(desk.read, act.author, clock.now()));
    } catch (error) {
      const details = error instanceof DomainError ? error.code : null;
      // Whoever acted is told of the failure itself, not of the log's.
      const failed = { ...act, action: `${act.action}_failed`, details };
      await desk.write((rows) => tell(rows, failed)).catch(() => {});
      throw error;
    }
  };

  const underWay = new Set<Promise<unknown>>();
  let isAlone = false;
  return {
    audited: async (act, does) => {
      if (isAlone) refuse("engine_busy");
      const done = told(act, does);
      underWay.add(done);
      return done.finally(() => underWay.delete(done));
    },

    /** The same of an act that waits for those under way, and during which no other is done. */
    alone: async (act, does) => {
      if (isAlone) refuse("engine_busy");
      isAlone = true;
      try {
        await Promise.allSettled(underWay);
        return await told(act, does);
      } finally {
        isAlone = false;
      }
    },
  };
}
