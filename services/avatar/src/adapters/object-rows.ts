import type { Kysely } from "kysely";
import type { ObjectRows } from "../domain/rows.ts";
import type { Tables } from "./tables.ts";

/**
 * Every change of an object's uses holds the lock of its row, so that `unused_since` is exact: who
 * finds it set may delete the object, whatever others are doing.
 */
export function objectRows(tx: Kysely<Tables>): ObjectRows {
  const usedBy = async (user: string) => {
    const rows = await tx.selectFrom("object_uses").select("address").where("user_id", "=", user).execute();
    return rows.map(({ address }) => address).sort();
  };
  /** An update of nothing, which takes the locks; two that meet in the wrong order are tried again by the store. */
  const lock = async (addresses: readonly string[]) => {
    if (addresses.length === 0) return;
    await tx
      .updateTable("objects")
      .set((eb) => ({ address: eb.ref("address") }))
      .where("address", "in", addresses)
      .execute();
  };
  const markUnused = async (addresses: readonly string[], now: number) => {
    if (addresses.length === 0) return;
    await tx
      .updateTable("objects")
      .set({ unused_since: now })
      .where("address", "in", addresses)
      .where("address", "not in", (eb) =>
        eb.selectFrom("object_uses").select("address").where("address", "in", addresses),
      )
      .execute();
  };
  const stopUsing = (user: string) => tx.deleteFrom("object_uses").where("user_id", "=", user).execute();

  return {
    reserveObjects: async (reservation, addresses, until) => {
      const sorted = [...new Set(addresses)].sort();
      const locked = await tx
        .insertInto("objects")
        .values(sorted.map((address) => ({ address, unused_since: null, deleting_since: null })))
        .onConflict((conflict) =>
          conflict
            .column("address")
            .doUpdateSet({ unused_since: null })
            .where("objects.deleting_since", "is", null),
        )
        .returning("address")
        .execute();
      if (locked.length < sorted.length) return false;
      await tx
        .insertInto("object_uses")
        .values(sorted.map((address) => ({ address, user_id: reservation, until })))
        .execute();
      return true;
    },
    assignObjects: async (accountId, reservation, now) => {
      const before = await usedBy(accountId);
      const wanted = reservation === null ? [] : await usedBy(reservation);
      if (reservation !== null && wanted.length === 0) return false;
      await lock([...new Set([...before, ...wanted])].sort());
      await stopUsing(accountId);
      if (reservation !== null) {
        const moved = await tx
          .updateTable("object_uses")
          .set({ user_id: accountId, until: null })
          .where("user_id", "=", reservation)
          .returning("address")
          .execute();
        if (moved.length < wanted.length) return false;
      }
      await markUnused(before, now);
      return true;
    },
    dropReservation: async (reservation, now) => {
      const held = await usedBy(reservation);
      await lock(held);
      await stopUsing(reservation);
      await markUnused(held, now);
    },
  };
}
