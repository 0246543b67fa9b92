import type { Migration } from "@frontdesk/store/migrate";
import { isAllowed } from "../domain/role.ts";

const BY_TOKEN = "token ";
const NO_END = Number.POSITIVE_INFINITY;

/**
 * Tokens used to know who made them by a name only, and names of tokens are not unique. Each gets the user at its root
 * and the token that it was made with. It ends with that one at the latest. One whose maker cannot be told for certain, or is gone, ends.
 */
export const tokenRoots: Migration = async (tx) => {
  await tx.schema
    .alterTable("lease_tokens")
    .addColumn("root_user_id", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await tx.schema.alterTable("lease_tokens").addColumn("made_with", "text").execute();
  const users = await tx.selectFrom("lease_users").selectAll().execute();
  const tokens = await tx.selectFrom("lease_tokens").selectAll().orderBy("created_at").execute();
  const added = await tx.selectFrom("lease_audit").selectAll().where("action", "=", "token_add").execute();

  const kept: Array<{ id: string; name: string; created_at: number; rootUserId: string; end: number }> = [];
  for (const { id, name, role, created_by, created_at, expires_at } of tokens) {
    const isBefore = (at: number) => at <= created_at;
    /** The audit log knows those of this name that are revoked, too. */
    const madeWith = () => {
      const maker = created_by.slice(BY_TOKEN.length);
      const everMade = added.filter(({ subject, at }) => subject === maker && isBefore(at));
      const found = kept.filter((each) => each.name === maker && isBefore(each.created_at));
      return everMade.length === 1 && found.length === 1 ? found[0] : undefined;
    };
    const parent = created_by.startsWith(BY_TOKEN) ? madeWith() : undefined;
    const user = users.find((each) =>
      parent ? each.id === parent.rootUserId : each.username === created_by && isBefore(each.created_at),
    );
    if (user && isAllowed(user.role, role)) {
      const end = Math.min(expires_at ?? NO_END, parent?.end ?? NO_END);
      kept.push({ id, name, created_at, rootUserId: user.id, end });
      await tx
        .updateTable("lease_tokens")
        .set({
          root_user_id: user.id,
          made_with: parent?.id ?? null,
          expires_at: end === NO_END ? null : end,
        })
        .where("id", "=", id)
        .execute();
    } else {
      await tx.deleteFrom("lease_tokens").where("id", "=", id).execute();
      const entry = { at: Date.now(), actor: "upgrade", action: "token_remove", subject: id, details: name };
      await tx.insertInto("lease_audit").values(entry).execute();
    }
  }
};
