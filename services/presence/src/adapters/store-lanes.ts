import type { Ids } from "@frontdesk/kit/ids";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import { prepared } from "@frontdesk/store/prepared-query";
import type { Store } from "@frontdesk/store/store";
import { type Kysely, sql } from "kysely";
import type { Lane, LaneProgress, LaneStore, Settled } from "../delivery/lane-store.ts";
import type { WebhookState } from "../domain/records.ts";
import { canSign, OLD_SECRET_MS } from "../domain/webhook.ts";
import { mailAdmins } from "./admin-mail.ts";
import { MAX_SKEW_MS } from "./clock-skew.ts";
import { createHotQueries } from "./hot-queries.ts";
import { eventFrom, PLAIN_SECRET, webhookFrom } from "./rows.ts";
import type { Tables } from "./tables.ts";

const DAMAGED = "This webhook's secret is damaged in the database: rotate it, then resume the webhook.";

/** Lanes in the database, which several copies of the service may serve together. */
export function createStoreLanes(store: Store<Tables>, ids: Ids, leaseMs: number, box: SecretBox): LaneStore {
  const { read } = store;
  const hot = createHotQueries(store);
  /**
   * A webhook whose key this copy lacks is left to copies that have it: while keys are rotated copy by copy, some
   * have a key that others do not know yet.
   */
  const keyIsHere = sql<boolean>`(${sql.join(
    [PLAIN_SECRET, ...box.prefixes].map(
      (prefix) => sql`substr(secret, 1, ${sql.lit(prefix.length)}) = ${sql.lit(prefix)}`,
    ),
    sql` or `,
  )})`;
  const byState = store.prepare(
    read.selectFrom("webhooks").select("id").where("state", "=", "").limit(sql.lit(1)).compile(),
  );
  // Looked up after every change that somebody may have to hear of.
  const waiting = prepared<{ now: number; leaseEnd: number; limit: number }>()(store, (param) =>
    read
      .selectFrom("webhooks as w")
      .innerJoin("orgs as o", "o.id", "w.org_id")
      .select(["w.id", "w.failing_since"])
      .where("w.state", "=", "active")
      .where(keyIsHere)
      .where(({ or, eb }) =>
        or([
          eb("w.lease", "is", null),
          eb("w.lease_until", "<=", param("now")),
          // Nobody takes a lane for that long: the clock was set back.
          eb("w.lease_until", ">", param("leaseEnd")),
        ]),
      )
      .where((where) =>
        where.or([
          where("o.sequence", ">", where.ref("w.cursor")),
          where.exists(
            where
              .selectFrom("deliveries as d")
              .select("d.id")
              .whereRef("d.webhook_id", "=", "w.id")
              .where("d.next_attempt_at", "<=", param("now")),
          ),
        ]),
      )
      .orderBy(sql`case when w.failing_since is null then 0 else 1 end`)
      .orderBy("w.lease_until")
      .orderBy("w.id")
      .limit(param("limit")),
  );
  const byId = store.prepare(read.selectFrom("webhooks").selectAll().where("id", "=", "").compile());
  return {
    waiting: async (now, limit) => {
      // SQLite answers this from memory for as long as no webhook changes.
      if (store.engine === "sqlite" && (await byState("active")).length === 0) return [];
      const rows = await waiting(read, { now, leaseEnd: now + leaseMs + MAX_SKEW_MS, limit });
      return rows.map(({ id, failing_since }) => ({ id, failing: failing_since !== null }));
    },

    releaseAll: () =>
      store.write(async (tx) => {
        await tx
          .updateTable("webhooks")
          .set({ lease: null, lease_until: 0 })
          .where("lease", "is not", null)
          .execute();
      }),

    giveBack: (lanes, now) =>
      store.write(async (tx) => {
        for (const { webhook, lease } of lanes)
          await tx
            .updateTable("webhooks")
            .set({ lease: null, lease_until: now })
            .where("id", "=", webhook.id)
            .where("lease", "=", lease)
            .execute();
      }),

    current: async (lane) => {
      const [row] = await byId(lane.webhook.id);
      return row?.lease === lane.lease ? webhookFrom(row, box) : undefined;
    },

    claim: (wanted, now) =>
      store.write(async (tx) => {
        const free = tx
          .selectFrom("webhooks")
          .select("id")
          .where("id", "in", wanted)
          .where("state", "=", "active")
          .where(keyIsHere)
          .where(({ or, eb }) =>
            or([
              eb("lease", "is", null),
              eb("lease_until", "<=", now),
              eb("lease_until", ">", now + leaseMs + MAX_SKEW_MS),
            ]),
          );
        const rows = await tx
          .updateTable("webhooks")
          .set({
            lease: ids.next(),
            lease_until: now + leaseMs,
            // Rotated while the clock was ahead: the day counts from now.
            previous_until: sql`case when previous_until > ${now + OLD_SECRET_MS} then ${now + OLD_SECRET_MS} else previous_until end`,
          })
          .where("id", "in", store.engine === "postgres" ? free.forUpdate().skipLocked() : free)
          .returningAll()
          .execute();
        if (rows.length === 0) return [];
        const orgs = await tx
          .selectFrom("orgs")
          .select(["id", "slug"])
          .where(
            "id",
            "in",
            rows.map((row) => row.org_id),
          )
          .execute();
        const slugs = new Map(orgs.map(({ id, slug }) => [id, slug]));
        const lanes: Lane[] = [];
        for (const row of rows) {
          const webhook = webhookFrom(row, box);
          const [orgId, orgSlug] = [row.org_id, slugs.get(row.org_id) as string];
          if (canSign(webhook)) {
            const { last_matched: lastMatched, last_attempt_at: lastAttemptAt } = row;
            lanes.push({ webhook, orgId, orgSlug, lease: row.lease as string, lastMatched, lastAttemptAt });
          } else {
            const disabled = { state: "disabled", disabled_reason: DAMAGED, lease: null };
            await tx.updateTable("webhooks").set(disabled).where("id", "=", row.id).execute();
            await mailAdmins(tx, { webhook, orgId, orgSlug }, DAMAGED, ids.next(), now);
          }
        }
        return lanes;
      }),

    due: async (lane, now, limit) => {
      const rows = await read
        .selectFrom("deliveries as d")
        .leftJoin("events as e", (join) =>
          join.onRef("e.org_id", "=", "d.org_id").onRef("e.sequence", "=", "d.sequence"),
        )
        .select([
          "d.id as delivery_id",
          "d.step",
          "d.attempts",
          "d.next_attempt_at",
          "d.prev_sequence",
          "d.sequence",
        ])
        .select(["e.id", "e.type", "e.occurred_at", "e.data", "e.source"])
        .where("d.webhook_id", "=", lane.webhook.id)
        .where("d.next_attempt_at", "<=", now)
        .orderBy("d.sequence")
        .limit(limit)
        .execute();
      return rows.map(({ delivery_id, step, attempts, next_attempt_at, prev_sequence, sequence, ...row }) => {
        const { id, type, occurred_at, data, source } = row;
        const kept = id !== null && type !== null && occurred_at !== null && data !== null;
        return {
          id: delivery_id,
          step,
          attempts,
          nextAttemptAt: next_attempt_at as number,
          prevSequence: prev_sequence,
          event: kept ? eventFrom({ id, sequence, type, occurred_at, data, source }) : undefined,
        };
      });
    },

    eventsAfter: async (lane, cursor, limit) =>
      (await hot.eventsAfter(read, { orgId: lane.orgId, after: cursor, limit })).map(eventFrom),

    purgedThrough: async (lane) => {
      const org = await read
        .selectFrom("orgs")
        .select("purged_through")
        .where("id", "=", lane.orgId)
        .executeTakeFirst();
      return org?.purged_through ?? 0;
    },

    settle: (lane, settled, progress, now) =>
      store.write(async (tx) => {
        const state = await saveProgress(tx, lane, progress, now);
        if (state === "lost") return state;
        await saveDeliveries(tx, lane, settled, now);
        if (progress.disable && state === "disabled")
          await mailAdmins(tx, lane, progress.disable, ids.next(), now);
        return state;
      }),
  };
}

async function saveProgress(
  tx: Kysely<Tables>,
  lane: Lane,
  progress: LaneProgress,
  now: number,
): Promise<WebhookState | "lost"> {
  const own = tx
    .updateTable("webhooks")
    .set({
      cursor: progress.cursor,
      last_matched: progress.lastMatched,
      last_attempt_at: progress.lastAttemptAt,
      // Of a lane that is free, it tells since when it has waited.
      ...(progress.leaseUntil === null
        ? { lease: null, lease_until: now }
        : { lease_until: progress.leaseUntil }),
    })
    .where("id", "=", lane.webhook.id)
    .where("lease", "=", lane.lease)
    .returning("state");
  const row =
    (await own
      .set({
        failing_since: progress.failingSince,
        ...(progress.disable ? { state: "disabled", disabled_reason: progress.disable } : {}),
      })
      .where("failing_since", "is not distinct from", lane.webhook.failingSince)
      .executeTakeFirst()) ??
    // Resumed meanwhile: what was before that counts for nothing.
    (await own.executeTakeFirst());
  return row ? (row.state as WebhookState) : "lost";
}

async function saveDeliveries(
  tx: Kysely<Tables>,
  lane: Lane,
  settled: readonly Settled[],
  now: number,
): Promise<void> {
  const fresh = settled.flatMap((each) => {
    if (!each.fresh) return [];
    const { event, prevSequence } = each.fresh;
    return {
      id: each.id,
      webhook_id: lane.webhook.id,
      org_id: lane.orgId,
      sequence: event.sequence,
      event_id: event.id,
      event_type: event.type,
      prev_sequence: prevSequence,
      state: each.state,
      step: each.step,
      attempts: each.attempt?.number ?? 0,
      next_attempt_at: each.nextAttemptAt,
      created_at: now,
      updated_at: now,
    };
  });
  if (fresh.length > 0) await tx.insertInto("deliveries").values(fresh).execute();
  for (const { id, due, state, step, nextAttemptAt, attempt } of settled) {
    if (!due) continue;
    const counted = attempt ? { attempts: attempt.number } : {};
    const kept = await tx
      .updateTable("deliveries")
      .set({ state, step, next_attempt_at: nextAttemptAt, updated_at: now, ...counted })
      .where("id", "=", id)
      .where("step", "=", due.step)
      .where("next_attempt_at", "=", due.nextAttemptAt)
      .executeTakeFirst();
    if (attempt && kept.numUpdatedRows === 0n)
      await tx.updateTable("deliveries").set(counted).where("id", "=", id).execute();
  }
  const attempts = settled.flatMap(({ id, attempt }) =>
    attempt
      ? {
          delivery_id: id,
          number: attempt.number,
          at: attempt.at,
          duration_ms: attempt.durationMs,
          status: attempt.status,
          error: attempt.error,
          response: attempt.response,
          url: attempt.url,
        }
      : [],
  );
  if (attempts.length > 0) await tx.insertInto("attempts").values(attempts).execute();
}
