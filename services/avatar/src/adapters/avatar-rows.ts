import type { Store } from "@frontdesk/store/store";
import type { Selectable } from "kysely";
import type { AvatarRows } from "../domain/read-avatar.ts";
import type { AvatarRow } from "../domain/saved-avatar.ts";
import type { Tables } from "./tables.ts";

type Row = Selectable<Tables["avatars"]>;

export function avatarRows(store: Store<Tables>): AvatarRows {
  const findRows = store.prepare(
    store.read.selectFrom("avatars").selectAll().where("hash", "=", "").compile(),
  );
  // SQLite's rows are remembered as long as they hold: so is what they say.
  const understood = new WeakMap<Row, AvatarRow>();
  return {
    find: async (hash) => {
      const [row] = await findRows(hash);
      if (!row) return undefined;
      const known = understood.get(row) ?? understand(row);
      understood.set(row, known);
      return known;
    },
  };
}

function understand({ version, kind, updated_at, image }: Row): AvatarRow {
  const saved = kind && image && { kind, updatedAt: new Date(updated_at ?? 0), image: JSON.parse(image) };
  return { version, saved: saved || null };
}
