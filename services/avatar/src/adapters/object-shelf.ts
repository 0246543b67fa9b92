import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { withinTimeLimit } from "@frontdesk/kit/time-limit";
import type { Store } from "@frontdesk/store/store";
import type { ExpressionBuilder } from "kysely";
import { refuse } from "../domain/errors.ts";
import type { Objects } from "../domain/objects.ts";
import type { Shelf } from "../domain/shelf.ts";
import { objectRows } from "./object-rows.ts";
import type { Tables } from "./tables.ts";

/** Longer than any save can take; what is reserved for longer belongs to one that died. */
const RESERVED_FOR_MS = 10 * 60_000;
/** Longer than a request to the object store can take: the one who began it is dead. */
const DELETING_FOR_MS = 2 * 60_000;
const TRIES_TO_RESERVE = 40;
const WAIT_TO_RESERVE_MS = 50;
const DELETED_AT_ONCE = 64;
const CLOSE_LIMIT_MS = 1_000;

export interface ObjectShelf extends Shelf {
  /** Takes away what nobody needs, also what saves and deletions that died have left behind. */
  sweep(): Promise<void>;
  /**
   * Takes nothing more in hand, and resolves when what is under way has ended, or takes long: an object store that is
   * slow or silent must not hold up whoever stops the service.
   */
  close(): Promise<void>;
  /** Resolves when everything that nobody needed at this moment is gone. */
  idle(): Promise<void>;
}

/**
 * Objects are written before the rows that name them and deleted after. A row for each object says
 * which of the two is going on, so that a crash at any moment leaves nothing that the sweep does not
 * find, and a save never relies on bytes that somebody is just deleting.
 */
export function createObjectShelf(options: {
  store: Store<Tables>;
  objects: Objects;
  clock: Clock;
  ids: Ids;
  log: Log;
}): ObjectShelf {
  const { store, objects, clock, ids, log } = options;
  let tidying: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let again = false;
  /** Closed, although a deletion was under way: the store is closed too by now. */
  let left = false;
  let closed = false;

  async function reserve(addresses: readonly string[]): Promise<string> {
    const reservation = `save ${ids.next()}`;
    for (let tries = 0; tries < TRIES_TO_RESERVE; tries++) {
      const until = clock.now() + RESERVED_FOR_MS;
      const reserved = await store
        .write(async (tx) => {
          if (!(await objectRows(tx).reserveObjects(reservation, addresses, until))) throw new BeingDeleted();
          return true;
        })
        .catch((error) => {
          if (error instanceof BeingDeleted) return false;
          throw error;
        });
      if (reserved) return reservation;
      await delay(WAIT_TO_RESERVE_MS);
    }
    throw refuse("overloaded", DELETING_FOR_MS / 1000);
  }

  async function giveUp(reservation: string): Promise<void> {
    await store.write((tx) => objectRows(tx).dropReservation(reservation, clock.now()));
    tidy();
  }

  /** Some addresses that this process, and nobody else, shall delete now. */
  async function takeUnused(): Promise<{ addresses: string[]; since: number }> {
    const now = clock.now();
    // Since long after now: the clock was set back. A little later than now is the clock of another copy.
    const isFree = ({ or, eb }: ExpressionBuilder<Tables, "objects">) =>
      or([
        eb("deleting_since", "is", null),
        eb("deleting_since", "<", now - DELETING_FOR_MS),
        eb("deleting_since", ">", now + DELETING_FOR_MS),
      ]);
    const found = await store.read
      .selectFrom("objects")
      .select("address")
      .where("unused_since", "is not", null)
      .where(isFree)
      .orderBy("unused_since")
      .limit(DELETED_AT_ONCE)
      .execute();
    if (found.length === 0) return { addresses: [], since: now };
    const taken = await store.write((tx) =>
      tx
        .updateTable("objects")
        .set({ deleting_since: now })
        .where(
          "address",
          "in",
          found.map(({ address }) => address),
        )
        .where("unused_since", "is not", null)
        .where(isFree)
        .returning("address")
        .execute(),
    );
    return { addresses: taken.map(({ address }) => address), since: now };
  }

  async function deleteUnused(): Promise<void> {
    while (!closed) {
      const { addresses, since } = await takeUnused();
      // After so long, as when the machine slept, others may count this deletion as dead, and the bytes be needed again.
      if (addresses.length === 0 || clock.now() - since > DELETING_FOR_MS / 2) return;
      const outcomes = await Promise.allSettled(addresses.map((address) => objects.delete(address)));
      if (left) return;
      const deleted = addresses.filter((_, i) => outcomes[i]?.status === "fulfilled");
      // Each ends by itself: those that failed stay marked, and are taken up again when they count as dead.
      if (deleted.length > 0)
        await store.write((tx) =>
          tx
            .deleteFrom("objects")
            .where("address", "in", deleted)
            // Whoever has taken it up since, or needs it again, keeps the row.
            .where("deleting_since", "=", since)
            .execute(),
        );
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed) throw failed.reason;
    }
  }

  async function run(): Promise<void> {
    while (again && !closed) {
      again = false;
      try {
        await deleteUnused();
      } catch (err) {
        log.warn({ err }, "deleting unused objects failed; the next sweep tries again");
      }
    }
    tidying = undefined;
  }

  function tidy(): void {
    again = true;
    tidying ??= run();
  }

  async function sweep(): Promise<void> {
    if (closed) return;
    const now = clock.now();
    const expired = await store.read
      .selectFrom("object_uses")
      .select("user_id")
      .distinct()
      .where("until", "<=", now)
      .execute();
    await objects.removeLeftovers(now - RESERVED_FOR_MS);
    for (const { user_id } of expired)
      await store.write((tx) => objectRows(tx).dropReservation(user_id, now));
    tidy();
    await tidying;
  }

  return {
    keep: async (pictures) => {
      const reservation = await reserve(pictures.map(({ address }) => address));
      const put = await Promise.allSettled(
        pictures.map(({ address, bytes, type }) => objects.put(address, bytes, type)),
      );
      const failed = put.find((each) => each.status === "rejected");
      if (!failed) return reservation;
      await giveUp(reservation);
      throw failed.reason;
    },
    giveUp,
    tidy,
    sweep: () => {
      sweeping ??= sweep().finally(() => {
        sweeping = undefined;
      });
      return sweeping;
    },
    close: async () => {
      closed = true;
      const ended = Promise.allSettled([sweeping, tidying]);
      await withinTimeLimit(ended, CLOSE_LIMIT_MS, "deleting unused objects").catch((err) => {
        left = true;
        log.warn({ err }, "objects are still being deleted; the next start goes on with it");
      });
    },
    idle: async () => {
      tidy();
      await tidying;
    },
  };
}

class BeingDeleted extends Error {}
