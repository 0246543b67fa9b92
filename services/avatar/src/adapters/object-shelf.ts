import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import type { Store } from "@frontdesk/store/store";
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

export interface ObjectShelf extends Shelf {
  /** Takes away what nobody needs, also what saves and deletions that died have left behind. */
  sweep(): Promise<void>;
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
  let again = false;

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
  async function takeUnused(): Promise<string[]> {
    const now = clock.now();
    const dead = now - DELETING_FOR_MS;
    const found = await store.read
      .selectFrom("objects")
      .select("address")
      .where("unused_since", "is not", null)
      .where((eb) => eb.or([eb("deleting_since", "is", null), eb("deleting_since", "<", dead)]))
      .orderBy("unused_since")
      .limit(DELETED_AT_ONCE)
      .execute();
    if (found.length === 0) return [];
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
        .where((eb) => eb.or([eb("deleting_since", "is", null), eb("deleting_since", "<", dead)]))
        .returning("address")
        .execute(),
    );
    return taken.map(({ address }) => address);
  }

  async function deleteUnused(): Promise<void> {
    for (;;) {
      const addresses = await takeUnused();
      if (addresses.length === 0) return;
      await Promise.all(addresses.map((address) => objects.delete(address)));
      await store.write((tx) => tx.deleteFrom("objects").where("address", "in", addresses).execute());
    }
  }

  async function run(): Promise<void> {
    while (again) {
      again = false;
      try {
        await deleteUnused();
      } catch (err) {
        log.warn({ err }, "objects that nobody needs could not be deleted; the next sweep tries again");
      }
    }
    tidying = undefined;
  }

  function tidy(): void {
    again = true;
    tidying ??= run();
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
    sweep: async () => {
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
    },
    idle: async () => {
      tidy();
      await tidying;
    },
  };
}

class BeingDeleted extends Error {}
