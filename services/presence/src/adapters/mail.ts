import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import { isRefusedForGood, MAIL_LIMIT_MS, type Mailer } from "@frontdesk/kit/mailer";
import type { Store } from "@frontdesk/store/store";
import { type ExpressionBuilder, sql } from "kysely";
import { MAX_SKEW_MS } from "./clock-skew.ts";
import type { Tables } from "./tables.ts";

/** Longer than one mail may take. */
const LEASE_MS = MAIL_LIMIT_MS + 15_000;
/** As mail servers do (RFC 5321, 4.5.4.1). */
const MAX_AGE_MS = 5 * 24 * 3_600_000;

/** So long after the start nothing is given up: the clock may not have been set yet, or the network not be there. */
const PATIENCE_MS = 3_600_000;

/** Sends the mails that changes have left behind; one that cannot be sent is tried again later. */
export function createMailRound(
  store: Store<Tables>,
  mailer: Mailer,
  { clock, monotonic }: { readonly clock: Clock; readonly monotonic: Clock },
  log: Log,
) {
  const startedAt = monotonic.now();
  return async (): Promise<void> => {
    for (;;) {
      const now = clock.now();
      // Nobody takes a mail for longer than the lease: the clock was set back.
      const isFree = ({ or, eb }: ExpressionBuilder<Tables, "mails">) =>
        or([eb("lease_until", "<=", now), eb("lease_until", ">", now + LEASE_MS + MAX_SKEW_MS)]);
      const waits = await store.read
        .selectFrom("mails")
        .select("id")
        .where(isFree)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      if (!waits) return;
      const mail = await store.write((tx) =>
        tx
          .updateTable("mails")
          // One that was written while the clock was ahead is not kept until then.
          .set({
            lease_until: now + LEASE_MS,
            created_at: sql`case when created_at > ${now} then ${now} else created_at end`,
          })
          .where("id", "=", waits.id)
          .where(isFree)
          .returningAll()
          .executeTakeFirst(),
      );
      if (!mail) continue;
      try {
        await mailer({
          id: mail.id,
          to: JSON.parse(mail.recipients),
          subject: mail.subject,
          text: mail.body,
        });
      } catch (err) {
        const isOld = now - mail.created_at >= MAX_AGE_MS && monotonic.now() - startedAt >= PATIENCE_MS;
        if (!isRefusedForGood(err) && !isOld) {
          log.warn({ err, subject: mail.subject }, "a mail could not be sent and will be tried again");
          continue;
        }
        log.error({ err, subject: mail.subject }, "a mail cannot be sent and is given up");
      }
      await store.write((tx) => tx.deleteFrom("mails").where("id", "=", mail.id).execute());
    }
  };
}
