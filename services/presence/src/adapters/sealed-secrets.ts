import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Store } from "@frontdesk/store/store";
import { webhookFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Seals the signing secrets that are in the clear, or under an older key, with the newest key. */
export async function sealSecrets(store: Store<Tables>, box: SecretBox): Promise<void> {
  const rows = await store.read.selectFrom("webhooks").selectAll().where("state", "!=", "removed").execute();
  for (const row of rows.filter(({ secret }) => !box.isCurrent(secret))) {
    const { secret, previousSecret } = webhookFrom(row, box);
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
