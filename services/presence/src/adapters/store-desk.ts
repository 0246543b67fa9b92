import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Batch, Store } from "@frontdesk/store/store";
import type { Insertable, Kysely } from "kysely";
import { type Actor, actorText, sourceOf } from "../domain/actor.ts";
import { detailOf, isOfPerson, subjectOf } from "../domain/audit-detail.ts";
import { avatarUrlOf } from "../domain/avatar-url.ts";
import { refuse } from "../domain/codes.ts";
import type { Desk, Unit } from "../domain/unit.ts";
import { FIRST_ORG } from "../first-org.ts";
import { demandAdmission, type RevokedHere } from "./admission.ts";
import { invitationQueries, plannedQueries } from "./app-unit.ts";
import { useFirstRun } from "./first-runs.ts";
import { createHotQueries, type HotQueries } from "./hot-queries.ts";
import { createKeyedMutex } from "./keyed-mutex.ts";
import { memory } from "./memory.ts";
import { createOrgsInHand, type OrgInHand } from "./orgs-in-hand.ts";
import { orgRow, settingsFrom, settingsRow } from "./rows.ts";
import { accessQueries, memberQueries, taskQueries, webhookQueries } from "./store-unit.ts";
import type { Tables } from "./tables.ts";

export interface StoreDeskOptions {
  readonly store: Store<Tables>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Seals webhooks' signing secrets. */
  readonly secrets: SecretBox;
  /** The avatar service's media address. */
  readonly avatarUrl: string;
  /** Called after a commit that changed something to be seen; silently: something of which no event tells. */
  readonly onEvents: (orgId: string, silently: boolean) => void;
}

/** Changes organisations one at a time each: SQLite has one writer, PostgreSQL locks the organisation's row. */
export function createStoreDesk(options: StoreDeskOptions): Desk {
  const { store, clock } = options;
  const hot = createHotQueries(store);
  const turns = createKeyedMutex();
  const takeOrg = createOrgsInHand(hot);
  const revokedHere: RevokedHere = memory();
  const queriesOf = createQueries(store, hot, clock, options.secrets, revokedHere);
  // SQLite lets concurrent writers share a commit, so there nobody waits for a turn.
  const write: <T>(orgId: string, work: (tx: Kysely<Tables>, batch: Batch) => Promise<T>) => Promise<T> =
    store.engine === "sqlite"
      ? (_orgId, work) => store.write(work)
      : (orgId, work) => turns(orgId, () => store.write(work));
  const changeWithin = async <T>(
    tx: Kysely<Tables>,
    batch: Batch,
    orgId: string,
    actor: Actor,
    work: (unit: Unit) => Promise<T>,
  ): Promise<Changed<T>> => {
    const org = await takeOrg(tx, batch, orgId);
    const now = clock.now();
    await demandAdmission(tx, orgId, actor, now, revokedHere);
    const events: NewEvent[] = [];
    const entries: AuditEntry[] = [];
    const silent: Silent = { changed: false, revised: undefined };
    const unit = createUnit(tx, queriesOf(tx, orgId), org, actor, now, options, events, entries, silent);
    const value = await work(unit);
    for (const event of events) await hot.insertEvent(tx, event);
    for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE)
      await tx
        .insertInto("audit_log")
        .values(entries.slice(from, from + ENTRIES_AT_ONCE))
        .execute();
    if (silent.changed)
      await tx
        .updateTable("orgs")
        .set(({ ref }) => ({
          revision: options.ids.next(),
          revision_before: ref("revision"),
          revised: silent.revised ?? null,
        }))
        .where("id", "=", orgId)
        .execute();
    // Only now, so that a change that fails leaves nothing in the hands of the next.
    org.sequence += events.length;
    org.vocabulary = unit.org.vocabulary;
    return { value, told: events.length > 0, silently: silent.changed };
  };
  const committed = <T>(orgId: string, { value, told, silently }: Changed<T>): T => {
    if (told || silently) options.onEvents(orgId, silently);
    return value;
  };
  return {
    createOrg: async (org, actor, work, firstRunSecret) =>
      committed(
        org.id,
        await store.write(async (tx, batch) => {
          if (firstRunSecret !== undefined) await useFirstRun(tx, firstRunSecret, clock.now());
          const taken = await tx
            .insertInto("orgs")
            .values(orgRow(org))
            .onConflict((conflict) => conflict.column("slug").doNothing())
            .returning("id")
            .executeTakeFirst();
          if (!taken) throw refuse("org_exists");
          // The organisation of the first start is for trying things out.
          if (org.slug !== FIRST_ORG) await tx.deleteFrom("first_runs").execute();
          return changeWithin(tx, batch, org.id, actor, work);
        }),
      ),
    change: async (orgId, actor, work) =>
      committed(orgId, await write(orgId, (tx, batch) => changeWithin(tx, batch, orgId, actor, work))),
  };
}

/** A statement of SQLite takes 32,766 values, one of PostgreSQL twice as many; a change may be seen of every member. */
const ENTRIES_AT_ONCE = 1_000;

interface Changed<T> {
  readonly value: T;
  readonly told: boolean;
  readonly silently: boolean;
}

/** Whether something has changed of which no event tells, and what. */
interface Silent {
  changed: boolean;
  revised: Tables["orgs"]["revised"] | undefined;
}

type NewEvent = Insertable<Tables["events"]>;
type AuditEntry = Insertable<Tables["audit_log"]>;
type Queries = ReturnType<typeof allQueries>;

const allQueries = (
  store: Store<Tables>,
  tx: Kysely<Tables>,
  hot: HotQueries,
  orgId: string,
  clock: Clock,
  box: SecretBox,
  revokedHere: RevokedHere,
) => ({
  members: memberQueries(tx, hot, orgId),
  planned: plannedQueries(tx, orgId),
  invitations: invitationQueries(tx, orgId),
  ...taskQueries(tx, hot, orgId),
  access: accessQueries(tx, orgId, clock, revokedHere),
  webhooks: webhookQueries(store, tx, orgId, clock, box),
});

/** On SQLite all changes are made on one connection, so an organisation's queries are made once. */
function createQueries(
  store: Store<Tables>,
  hot: HotQueries,
  clock: Clock,
  box: SecretBox,
  revokedHere: RevokedHere,
) {
  if (store.engine === "postgres")
    return (tx: Kysely<Tables>, orgId: string) => allQueries(store, tx, hot, orgId, clock, box, revokedHere);
  const made = memory<Queries>();
  return (tx: Kysely<Tables>, orgId: string) =>
    made.get(orgId) ?? made.keep(orgId, allQueries(store, tx, hot, orgId, clock, box, revokedHere));
}

/** The id of what an event tells of. */
function createUnit(
  tx: Kysely<Tables>,
  queries: Queries,
  { id, sequence, vocabulary }: OrgInHand,
  actor: Actor,
  now: number,
  options: StoreDeskOptions,
  events: NewEvent[],
  entries: AuditEntry[],
  silent: Silent,
): Unit {
  const { ids } = options;
  const org = { id, sequence, vocabulary };
  const by = actorText(actor);
  const audit: Unit["audit"] = (action, subject, detail = {}) => {
    entries.push({
      org_id: id,
      id: ids.next(),
      at: now,
      actor: by,
      action,
      subject,
      detail: JSON.stringify(detail),
    });
  };
  return {
    ...queries,
    org,
    actor,
    now,
    audit,
    newId: () => ids.next(),
    avatarUrl: (email) => avatarUrlOf(options.avatarUrl, email),
    emit: (type, data) => {
      events.push({
        org_id: id,
        sequence: sequence + events.length + 1,
        id: ids.next(),
        type,
        occurred_at: now,
        data: JSON.stringify(data),
        source: sourceOf(actor),
        actor: by,
      });
      // What integrations and the clock do is told by the events themselves, which name them too.
      if (isOfPerson(actor.kind)) audit(type, subjectOf(data), detailOf(type, data));
    },
    touch: (what) => {
      const revised = what === undefined ? null : what === "nothing" ? what : what.member;
      silent.revised = silent.changed && silent.revised !== revised ? null : revised;
      silent.changed = true;
    },
    settings: async () =>
      settingsFrom(
        await tx
          .selectFrom("orgs")
          .select(["name", "time_zone", "closing_minute", "next_closing_at", "closed_at"])
          .where("id", "=", id)
          .executeTakeFirstOrThrow(),
      ),
    saveSettings: async (settings) => {
      await tx.updateTable("orgs").set(settingsRow(settings)).where("id", "=", id).execute();
    },
    mail: async (to, { subject, body }, invitationId) => {
      const recipients = JSON.stringify(to);
      await tx
        .insertInto("mails")
        .values({
          id: ids.next(),
          recipients,
          subject,
          body,
          created_at: now,
          lease_until: 0,
          invitation_id: invitationId ?? null,
        })
        .execute();
    },
    saveVocabulary: async (next) => {
      org.vocabulary = next;
      silent.changed = true;
      silent.revised = null;
      await tx
        .updateTable("orgs")
        .set({ vocabulary: JSON.stringify(next), vocabulary_id: ids.next() })
        .where("id", "=", id)
        .execute();
    },
  };
}
