import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Store } from "@frontdesk/store/store";
import { isoTime } from "../domain/clock-text.ts";
import { tokenExpiresMail } from "../domain/mail-texts.ts";
import { mailToAdmins } from "./admin-mail.ts";
import type { Tables } from "./tables.ts";

const BEFORE_MS = 7 * 24 * 3_600_000;
const AT_ONCE = 50;

/** Tells an organisation's admins a week before a token expires, once. Several copies may look at once. */
export function createTokenExpiryRound(
  store: Store<Tables>,
  { clock, ids, appUrl }: { readonly clock: Clock; readonly ids: Ids; readonly appUrl: string },
) {
  return async (): Promise<void> => {
    for (;;) {
      const now = clock.now();
      const soon = await store.read
        .selectFrom("tokens")
        .innerJoin("integrations", "integrations.id", "tokens.integration_id")
        .innerJoin("orgs", "orgs.id", "tokens.org_id")
        .select(["tokens.id", "tokens.org_id", "tokens.expires_at", "integrations.name", "orgs.slug"])
        .where("tokens.revoked_at", "is", null)
        .where("tokens.expiry_mailed_at", "is", null)
        .where("tokens.expires_at", ">", now)
        .where("tokens.expires_at", "<=", now + BEFORE_MS)
        .limit(AT_ONCE)
        .execute();
      if (soon.length === 0) return;
      for (const { id, org_id, expires_at, name, slug } of soon) {
        const mail = tokenExpiresMail(slug, name, isoTime(expires_at ?? now), appUrl);
        await store.write(async (tx) => {
          const mine = await tx
            .updateTable("tokens")
            .set({ expiry_mailed_at: now })
            .where("id", "=", id)
            .where("expiry_mailed_at", "is", null)
            .returning("id")
            .executeTakeFirst();
          if (mine) await mailToAdmins(tx, org_id, mail, ids.next(), now);
        });
      }
    }
  };
}
