import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Desk } from "./rows.ts";

const AUDIT_DAYS = 400;
const DAY_MS = 24 * 3_600_000;

/** Removes what is too old of the audit log: now, and each day. Answers with what ends it. */
export function keepAuditShort(desk: Desk, clock: Clock, log: Log): () => void {
  const remove = () => {
    const since = clock.now() - AUDIT_DAYS * DAY_MS;
    desk
      .write(({ audit }) => audit.removeBefore(since))
      .catch((error) => log.warn({ err: error }, "old entries of the audit log not removed"));
  };
  remove();
  const timer = setInterval(remove, DAY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
