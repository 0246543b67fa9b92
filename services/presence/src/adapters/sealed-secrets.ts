import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Store } from "@frontdesk/store/store";
import type { Selectable } from "kysely";
import { DISABLE_AFTER_MS } from "../delivery/schedule.ts";
import { CODES } from "../domain/codes.ts";
import { mailAdmins } from "./admin-mail.ts";
import { PLAIN_SECRET, previousRow, webhookFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

type Row = Selectable<Tables["webhooks"]>;

export interface SealedSecretsOptions {
  readonly store: Store<Tables>;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/**
 * Keeps webhooks' signing secrets sealed by the newest key. A secret that no key opens stays as it is: another
 * copy may have its key, or it comes back with the next start.
 */
export function createSealedSecrets(options: SealedSecretsOptions) {
  const { store, box, log } = options;
  const staleRows = async () => {
    const rows = await store.read
      .selectFrom("webhooks")
      .selectAll()
      .where("state", "!=", "removed")
      .execute();
    return rows.filter(
      ({ secret, disabled_reason }) => !box.isCurrent(secret) || disabled_reason === CODES.secret_sealed,
    );
  };
  return {
    /** At the start: seals what is in the clear, and activates what was disabled for a key that is here again. */
    atStart: async (): Promise<void> => {
      for (const row of await staleRows()) {
        if (webhookFrom(row, box).secret === null) log.warn({ webhook: row.id }, CODES.secret_sealed);
        else if (row.secret.startsWith(PLAIN_SECRET)) await reseal(store, box, row);
        if (row.disabled_reason === CODES.secret_sealed && webhookFrom(row, box).secret !== null)
          await activate(store, row, log);
      }
    },
    /**
     * Later, when copies that are restarted one after another all have the new key: seals with it what an older key
     * sealed, and disables webhooks that no copy could sign for in days.
     */
    round: async (): Promise<void> => {
      const rows = (await staleRows()).filter(({ secret }) => !box.isCurrent(secret));
      for (const row of rows) {
        if (webhookFrom(row, box).secret !== null) await reseal(store, box, row);
        else {
          log.warn({ webhook: row.id }, CODES.secret_sealed);
          if (row.state === "active") await disableIfOverdue(options, row);
        }
      }
      if (rows.length > 0 && (await staleRows()).length === 0)
        log.info(
          {},
          "all webhook secrets are sealed with the first key of PRESENCE_SECRET_KEYS; others can go",
        );
    },
  };
}

async function reseal(store: Store<Tables>, box: SecretBox, row: Row): Promise<void> {
  const { secret, previousSecrets } = webhookFrom(row, box);
  if (secret === null) return;
  await store.write((tx) =>
    tx
      .updateTable("webhooks")
      .set({ secret: box.seal(secret), previous_secret: previousRow(previousSecrets, box) })
      .where("id", "=", row.id)
      // Not over a rotation that came between.
      .where("secret", "=", row.secret)
      .execute(),
  );
}

async function activate(store: Store<Tables>, row: Row, log: Log): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable("webhooks")
      .set({ state: "active", disabled_reason: null, failing_since: null })
      .where("id", "=", row.id)
      .where("state", "=", "disabled")
      .where("disabled_reason", "=", CODES.secret_sealed)
      .execute(),
  );
  log.info({ webhook: row.id }, "the key of this webhook's secret is here again: the webhook is active");
}

async function disableIfOverdue({ store, box, clock, ids }: SealedSecretsOptions, row: Row): Promise<void> {
  const now = clock.now();
  await store.write(async (tx) => {
    const webhook = await tx
      .selectFrom("webhooks as w")
      .innerJoin("orgs as o", "o.id", "w.org_id")
      .innerJoin("events as e", (join) =>
        join.onRef("e.org_id", "=", "w.org_id").on("e.sequence", "=", (eb) => eb("w.cursor", "+", 1)),
      )
      .select(["o.slug", "e.occurred_at"])
      .where("w.id", "=", row.id)
      .executeTakeFirst();
    if (!webhook || now - webhook.occurred_at <= DISABLE_AFTER_MS) return;
    const disabled = await tx
      .updateTable("webhooks")
      .set({ state: "disabled", disabled_reason: CODES.secret_sealed, lease: null })
      .where("id", "=", row.id)
      .where("state", "=", "active")
      .where("secret", "=", row.secret)
      .where("cursor", "=", row.cursor)
      .returning("id")
      .execute();
    if (disabled.length === 0) return;
    const of = { webhook: webhookFrom(row, box), orgId: row.org_id, orgSlug: webhook.slug };
    await mailAdmins(tx, of, CODES.secret_sealed, ids.next(), now);
  });
}
