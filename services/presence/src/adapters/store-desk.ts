import { createHash } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Store } from "@frontdesk/store/store";
import type { Insertable, Kysely } from "kysely";
import { refuse } from "../domain/codes.ts";
import type { Desk, Unit } from "../domain/unit.ts";
import { createHotQueries, EVENT_COLUMNS, type HotQueries } from "./hot-queries.ts";
import { memory } from "./memory.ts";
import { orgRow } from "./rows.ts";
import { accessQueries, memberQueries, taskQueries, webhookQueries } from "./store-unit.ts";
import type { Tables } from "./tables.ts";
import { createTurns } from "./turns.ts";
import { createVocabularies } from "./vocabularies.ts";

export interface StoreDeskOptions {
  readonly store: Store<Tables>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The avatar service's media address. */
  readonly avatarUrl: string;
  /** Called after a commit that brought events. */
  readonly onEvents: () => void;
}

export const avatarUrlOf = (base: string, email: string): string =>
  `${base}/${createHash("sha256").update(email).digest("hex")}`;

/** Changes organisations one at a time each: SQLite has one writer, PostgreSQL locks the organisation's row. */
export function createStoreDesk(options: StoreDeskOptions): Desk {
  const { store, clock } = options;
  const hot = createHotQueries(store);
  const turns = createTurns();
  const vocabularies = createVocabularies();
  const queriesOf = createQueries(store, hot, clock);
  // SQLite lets concurrent writers share a commit, so there nobody waits for a turn.
  const write: <T>(orgId: string, work: (tx: Kysely<Tables>) => Promise<T>) => Promise<T> =
    store.engine === "sqlite"
      ? (_orgId, work) => store.write(work)
      : (orgId, work) => turns(orgId, () => store.write(work));
  return {
    createOrg: (org) =>
      store.write(async (tx) => {
        const taken = await tx
          .insertInto("orgs")
          .values(orgRow(org))
          .onConflict((conflict) => conflict.column("slug").doNothing())
          .returning("id")
          .executeTakeFirst();
        if (!taken) throw refuse("org_exists");
      }),
    change: async (orgId, work) => {
      const { value, told } = await write(orgId, async (tx) => {
        const [row] = await hot.lockOrg(tx, orgId);
        if (!row) throw refuse("org_not_found");
        const { id, sequence } = row;
        const org = { id, sequence, vocabulary: await vocabularies(tx, row) };
        const events: Array<Insertable<Tables["events"]>> = [];
        const now = clock.now();
        const unit = createUnit(tx, queriesOf(tx, orgId), org, now, options, events);
        const result = await work(unit);
        if (events.length > 0) {
          for (const event of events) await hot.insertEvent(tx, ...EVENT_COLUMNS.map((name) => event[name]));
          await hot.saveSequence(tx, sequence + events.length, orgId);
        }
        return { value: result, told: events.length > 0 };
      });
      if (told) options.onEvents();
      return value;
    },
  };
}

type Queries = ReturnType<typeof allQueries>;

const allQueries = (tx: Kysely<Tables>, hot: HotQueries, orgId: string, clock: Clock) => ({
  ...memberQueries(tx, hot, orgId),
  ...taskQueries(tx, hot, orgId),
  ...accessQueries(tx, orgId, clock),
  ...webhookQueries(tx, orgId, clock),
});

/** On SQLite all changes are made on one connection, so an organisation's queries are made once. */
function createQueries(store: Store<Tables>, hot: HotQueries, clock: Clock) {
  if (store.engine === "postgres")
    return (tx: Kysely<Tables>, orgId: string) => allQueries(tx, hot, orgId, clock);
  const made = memory<Queries>();
  return (tx: Kysely<Tables>, orgId: string) =>
    made.get(orgId) ?? made.keep(orgId, allQueries(tx, hot, orgId, clock));
}

function createUnit(
  tx: Kysely<Tables>,
  queries: Queries,
  first: Unit["org"],
  now: number,
  options: StoreDeskOptions,
  events: Array<Insertable<Tables["events"]>>,
): Unit {
  const { ids } = options;
  let org = first;
  const own: Omit<Unit, keyof Queries> & { __proto__: Queries } = {
    // The queries are many and the same each time: they are inherited rather than copied.
    __proto__: queries,
    get org() {
      return org;
    },
    now,
    newId: () => ids.next(),
    avatarUrl: (email) => avatarUrlOf(options.avatarUrl, email),
    emit: (type, data) => {
      events.push({
        org_id: org.id,
        sequence: first.sequence + events.length + 1,
        id: ids.next(),
        type,
        occurred_at: now,
        data: JSON.stringify(data),
      });
    },
    saveVocabulary: async (vocabulary) => {
      org = { ...org, vocabulary };
      await tx
        .updateTable("orgs")
        .set({ vocabulary: JSON.stringify(vocabulary), vocabulary_id: ids.next() })
        .where("id", "=", org.id)
        .execute();
    },
  };
  return own as unknown as Unit;
}
