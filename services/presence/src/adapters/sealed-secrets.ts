import type { Log } from "@frontdesk/kit/log";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Store } from "@frontdesk/store/store";
import { CODES } from "../domain/codes.ts";
import { webhookFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * Seals the signing secrets that are in the clear, or under an older key, with the newest key. Those under a
 * key that is not in the list stay as they are; their webhooks are disabled when something is to be sent.
 */
export async function sealSecrets(store: Store<Tables>, box: SecretBox, log: Log): Promise<void> {
  const rows = await store.read.selectFrom("webhooks").selectAll().where("state", "!=", "removed").execute();
  for (const row of rows.filter(({ secret }) => !box.isCurrent(secret))) {
    const { secret, previousSecret } = webhookFrom(row, box);
    if (secret === null) {
      log.warn({ webhook: row.id }, CODES.secret_sealed);
      continue;
    }
    await store.write((tx) =>
      tx
        .updateTable("webhooks")
        .set({ secret: box.seal(secret), previous_secret: previousSecret && box.seal(previousSecret) })
        .where("id", "=", row.id)
        // Not over a rotation that came between.
        .where("secret", "=", row.secret)
        .execute(),
    );
  }
}
