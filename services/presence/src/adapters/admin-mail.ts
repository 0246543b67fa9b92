import type { Kysely } from "kysely";
import { webhookDisabledMail } from "../domain/mail-texts.ts";
import type { WebhookRecord } from "../domain/records.ts";
import type { Tables } from "./tables.ts";

/** A mail to the admins of a webhook's organisation that it was disabled. */
export async function mailAdmins(
  tx: Kysely<Tables>,
  of: { readonly webhook: WebhookRecord; readonly orgId: string; readonly orgSlug: string },
  reason: string,
  id: string,
  now: number,
): Promise<void> {
  await mailToAdmins(tx, of.orgId, webhookDisabledMail(of.orgSlug, of.webhook, reason), id, now);
}

/** A mail to the admins of an organisation, sent once the change that caused it is committed. */
export async function mailToAdmins(
  tx: Kysely<Tables>,
  orgId: string,
  mail: { readonly subject: string; readonly body: string },
  id: string,
  now: number,
): Promise<void> {
  const admins = await tx
    .selectFrom("members")
    .select("email")
    .where("org_id", "=", orgId)
    .where("role", "=", "admin")
    .execute();
  if (admins.length === 0) return;
  await tx
    .insertInto("mails")
    .values({
      id,
      recipients: JSON.stringify(admins.map(({ email }) => email)),
      ...mail,
      created_at: now,
      lease_until: 0,
      invitation_id: null,
    })
    .execute();
}
