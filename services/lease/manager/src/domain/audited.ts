import type { Clock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { Desk } from "./rows.ts";

/** What somebody is about to do. */
export interface Act {
  readonly actor: string;
  readonly action: string;
  readonly subject?: string | null;
  readonly details?: string | null;
}

export type Audited = <T>(act: Act, does: () => Promise<T>) => Promise<T>;

/**
 * Tells the audit log of an act before it is done: whoever is killed in between has not acted unseen. Where it is refused
 * or fails, a second entry says so.
 */
export function createAudited(desk: Desk, clock: Clock): Audited {
  const tell = ({ actor, action, subject = null, details = null }: Act) =>
    desk.write(({ audit }) => audit.add({ at: clock.now(), actor, action, subject, details }));

  return async (act, does) => {
    await tell(act);
    try {
      return await does();
    } catch (error) {
      const details = error instanceof DomainError ? error.code : null;
      // Whoever acted is told of the failure itself, not of the log's.
      await tell({ ...act, action: `${act.action}_failed`, details }).catch(() => {});
      throw error;
    }
  };
}
