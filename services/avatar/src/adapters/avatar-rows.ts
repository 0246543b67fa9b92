import type { Store } from "@frontdesk/store/store";
import type { AvatarRows } from "../domain/read-avatar.ts";
import type { AvatarsTable, Tables } from "./tables.ts";

export function avatarRows(store: Store<Tables>): AvatarRows {
  // Every read asks this: the text of the query is made once, and only the hash changes.
  const query = store.read.selectFrom("avatars").selectAll().where("hash", "=", "").compile();
  return {
    find: async (hash) => {
      const { rows } = await store.read.executeQuery<AvatarsTable>({ ...query, parameters: [hash] });
      const row = rows[0];
      if (!row) return undefined;
      const { version, kind, updated_at, image } = row;
      const saved = kind && image && { kind, updatedAt: new Date(updated_at ?? 0), image: JSON.parse(image) };
      return { version, saved: saved || null };
    },
  };
}
