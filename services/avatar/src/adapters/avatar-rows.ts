import type { Store } from "@frontdesk/store/store";
import type { AvatarRows } from "../domain/read-avatar.ts";
import type { Tables } from "./tables.ts";

export function avatarRows(store: Store<Tables>): AvatarRows {
  const findRows = store.prepare(
    store.read.selectFrom("avatars").selectAll().where("hash", "=", "").compile(),
  );
  return {
    find: async (hash) => {
      const [row] = await findRows(hash);
      if (!row) return undefined;
      const { version, kind, updated_at, image } = row;
      const saved = kind && image && { kind, updatedAt: new Date(updated_at ?? 0), image: JSON.parse(image) };
      return { version, saved: saved || null };
    },
  };
}
