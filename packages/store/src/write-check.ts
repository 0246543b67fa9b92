import { believed } from "@frontdesk/kit/believed";
import type { Clock } from "@frontdesk/kit/clock";
import { type Kysely, sql } from "kysely";

/** More than the changes of a request take. */
const ROOM_BYTES = 64 * 1024;

type Write<Tables> = (work: (tx: Kysely<Tables>) => Promise<void>) => Promise<void>;

/**
 * Commits a change that changes nothing: the only way to see that a disk takes no more. On a disk that is nearly full
 * that little may find room where a request does not: `askForRoom` makes the checks after it write as much as one does,
 * until that went well.
 */
export function createWriteCheck<Tables>(write: Write<Tables>, monotonic?: Clock) {
  let needsRoom = false;
  const { check, doubt } = believed(async () => {
    const forRoom = needsRoom;
    needsRoom = false;
    try {
      await (forRoom ? findRoom(write) : writeNothing(write));
    } catch (error) {
      needsRoom ||= forRoom;
      throw error;
    }
  }, monotonic);
  return {
    check,
    askForRoom: () => {
      needsRoom = true;
      doubt();
    },
  };
}

const writeNothing = <Tables>(write: Write<Tables>) =>
  write(async (tx) => {
    await sql`update frontdesk_migrations set applied_at = applied_at
      where name = (select min(name) from frontdesk_migrations)`.execute(tx);
  });

/** In the words of SQLite, whose store alone asks for it. */
async function findRoom<Tables>(write: Write<Tables>): Promise<void> {
  const drop = sql`drop table if exists frontdesk_room`;
  await write(async (tx) => {
    await drop.execute(tx);
    await sql`create table frontdesk_room (filler blob)`.execute(tx);
    await sql`insert into frontdesk_room values (randomblob(${ROOM_BYTES}))`.execute(tx);
  });
  await write(async (tx) => {
    await drop.execute(tx);
  });
}
