import { signinMigrations } from "@frontdesk/signin/migrations";
import type { MigrationSteps, Migrations } from "@frontdesk/store/migrate";
import { sql } from "kysely";

const steps: MigrationSteps = {
  "001-desk": async (tx) => {
    await tx.schema
      .createTable("orgs")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("slug", "text", (c) => c.notNull().unique())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("sequence", "bigint", (c) => c.notNull())
      .addColumn("purged_through", "bigint", (c) => c.notNull())
      .addColumn("vocabulary", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .execute();

    await tx.schema
      .createTable("members")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("email", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("role", "text", (c) => c.notNull())
      .addColumn("joined_at", "bigint", (c) => c.notNull())
      .addColumn("refs", "text", (c) => c.notNull())
      .addColumn("status_key", "text")
      .addColumn("status_expires_at", "bigint")
      .addColumn("status_set_at", "bigint")
      .addColumn("status_source", "text", (c) => c.notNull())
      .addUniqueConstraint("members_by_email", ["org_id", "email"])
      .execute();
    await tx.schema.createIndex("members_in_order").on("members").columns(["org_id", "id"]).execute();
    await tx.schema
      .createIndex("members_by_expiry")
      .on("members")
      .column("status_expires_at")
      .where(sql.ref("status_expires_at"), "is not", null)
      .execute();

    await tx.schema
      .createTable("integrations")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addUniqueConstraint("integrations_by_name", ["org_id", "name"])
      .execute();

    await tx.schema
      .createTable("member_refs")
      .addColumn("integration_id", "text", (c) => c.notNull().references("integrations.id"))
      .addColumn("external_ref", "text", (c) => c.notNull())
      .addColumn("member_id", "text", (c) => c.notNull().references("members.id").onDelete("cascade"))
      .addPrimaryKeyConstraint("member_refs_key", ["integration_id", "external_ref"])
      .addUniqueConstraint("member_refs_by_member", ["member_id", "integration_id"])
      .execute();

    await tx.schema
      .createTable("tokens")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("integration_id", "text", (c) => c.notNull().references("integrations.id"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull().unique())
      .addColumn("scopes", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("last_used_at", "bigint")
      .addColumn("expires_at", "bigint")
      .addColumn("revoked_at", "bigint")
      .execute();
    await tx.schema
      .createIndex("tokens_by_integration")
      .on("tokens")
      .columns(["integration_id", "id"])
      .execute();

    await tx.schema
      .createTable("rate_windows")
      .addColumn("token_id", "text", (c) => c.primaryKey())
      .addColumn("hits", "text", (c) => c.notNull())
      .execute();

    await tx.schema
      .createTable("projects")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("archived", "integer", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .execute();
    await tx.schema.createIndex("projects_in_order").on("projects").columns(["org_id", "id"]).execute();

    await tx.schema
      .createTable("todos")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull())
      .addColumn("member_id", "text", (c) => c.notNull().references("members.id").onDelete("cascade"))
      .addColumn("project_id", "text")
      .addColumn("text", "text", (c) => c.notNull())
      .addColumn("done_at", "bigint")
      .addColumn("archived", "integer", (c) => c.notNull())
      .addColumn("position", "double precision", (c) => c.notNull())
      .addColumn("integration_id", "text")
      .addColumn("external_system", "text")
      .addColumn("external_ref", "text")
      .addColumn("external_url", "text")
      .addColumn("source", "text", (c) => c.notNull())
      .addColumn("version", "bigint", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .execute();
    await tx.schema
      .createIndex("todos_in_order")
      .on("todos")
      .columns(["member_id", "position", "id"])
      .execute();
    await tx.schema
      .createIndex("todos_by_ref")
      .unique()
      .on("todos")
      .columns(["integration_id", "external_system", "external_ref"])
      .where(sql.ref("external_ref"), "is not", null)
      .execute();

    await tx.schema
      .createTable("events")
      .addColumn("org_id", "text", (c) => c.notNull())
      .addColumn("sequence", "bigint", (c) => c.notNull())
      .addColumn("id", "text", (c) => c.notNull())
      .addColumn("type", "text", (c) => c.notNull())
      .addColumn("occurred_at", "bigint", (c) => c.notNull())
      .addColumn("data", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("events_key", ["org_id", "sequence"])
      .execute();

    await tx.schema
      .createTable("share_links")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("kind", "text", (c) => c.notNull())
      .addColumn("project_id", "text")
      .addColumn("token_hash", "text", (c) => c.notNull().unique())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("revoked_at", "bigint")
      .execute();

    await tx.schema
      .createTable("webhooks")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("url", "text", (c) => c.notNull())
      .addColumn("events", "text", (c) => c.notNull())
      .addColumn("secret", "text", (c) => c.notNull())
      .addColumn("previous_secret", "text")
      .addColumn("previous_until", "bigint")
      .addColumn("state", "text", (c) => c.notNull())
      .addColumn("disabled_reason", "text")
      .addColumn("failing_since", "bigint")
      .addColumn("cursor", "bigint", (c) => c.notNull())
      .addColumn("last_matched", "bigint")
      .addColumn("lease", "text")
      .addColumn("lease_until", "bigint", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .execute();
    await tx.schema.createIndex("webhooks_by_org").on("webhooks").columns(["org_id", "id"]).execute();

    await tx.schema
      .createTable("deliveries")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("webhook_id", "text", (c) => c.notNull().references("webhooks.id").onDelete("cascade"))
      .addColumn("org_id", "text", (c) => c.notNull())
      .addColumn("sequence", "bigint", (c) => c.notNull())
      .addColumn("event_id", "text", (c) => c.notNull())
      .addColumn("event_type", "text", (c) => c.notNull())
      .addColumn("prev_sequence", "bigint")
      .addColumn("state", "text", (c) => c.notNull())
      .addColumn("step", "integer", (c) => c.notNull())
      .addColumn("attempts", "integer", (c) => c.notNull())
      .addColumn("next_attempt_at", "bigint")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("updated_at", "bigint", (c) => c.notNull())
      .addUniqueConstraint("deliveries_by_sequence", ["webhook_id", "sequence"])
      .execute();
    await tx.schema
      .createIndex("deliveries_due")
      .on("deliveries")
      .columns(["webhook_id", "next_attempt_at"])
      .where(sql.ref("next_attempt_at"), "is not", null)
      .execute();
    await tx.schema.createIndex("deliveries_by_age").on("deliveries").column("created_at").execute();

    await tx.schema
      .createTable("attempts")
      .addColumn("delivery_id", "text", (c) => c.notNull().references("deliveries.id").onDelete("cascade"))
      .addColumn("number", "integer", (c) => c.notNull())
      .addColumn("at", "bigint", (c) => c.notNull())
      .addColumn("duration_ms", "integer", (c) => c.notNull())
      .addColumn("status", "integer")
      .addColumn("error", "text")
      .addColumn("response", "text")
      .addPrimaryKeyConstraint("attempts_key", ["delivery_id", "number"])
      .execute();

    await tx.schema
      .createTable("mails")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("recipients", "text", (c) => c.notNull())
      .addColumn("subject", "text", (c) => c.notNull())
      .addColumn("body", "text", (c) => c.notNull())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("lease_until", "bigint", (c) => c.notNull())
      .execute();
  },
  "002-vocabulary-id": async (tx) => {
    await tx.schema
      .alterTable("orgs")
      .addColumn("vocabulary_id", "text", (c) => c.notNull().defaultTo(""))
      .execute();
    await tx
      .updateTable("orgs")
      .set({ vocabulary_id: sql.ref("id") })
      .execute();
  },
  "003-last-attempt": async (tx) => {
    await tx.schema.alterTable("webhooks").addColumn("last_attempt_at", "bigint").execute();
  },
  "004-actors": async (tx) => {
    await tx.schema.alterTable("events").addColumn("source", "text").execute();
    await tx.schema.alterTable("events").addColumn("actor", "text").execute();
    await tx.schema
      .createTable("audit_log")
      .addColumn("org_id", "text", (c) => c.notNull())
      .addColumn("id", "text", (c) => c.notNull())
      .addColumn("at", "bigint", (c) => c.notNull())
      .addColumn("actor", "text", (c) => c.notNull())
      .addColumn("action", "text", (c) => c.notNull())
      .addColumn("subject", "text")
      .addColumn("detail", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("audit_log_key", ["org_id", "id"])
      .execute();
  },
  ...signinMigrations("presence"),
  "005-web-app": async (tx) => {
    const { schema } = tx;
    await schema
      .alterTable("orgs")
      .addColumn("time_zone", "text", (c) => c.notNull().defaultTo("UTC"))
      .execute();
    await schema.alterTable("orgs").addColumn("closing_minute", "integer").execute();
    await schema.alterTable("orgs").addColumn("next_closing_at", "bigint").execute();
    await schema
      .alterTable("orgs")
      .addColumn("revision", "text", (c) => c.notNull().defaultTo(""))
      .execute();
    for (const column of ["status_note", "status_by", "own_key", "own_note", "group_name", "time_zone"])
      await schema.alterTable("members").addColumn(column, "text").execute();
    for (const column of ["own_expires_at", "own_set_at"])
      await schema.alterTable("members").addColumn(column, "bigint").execute();
    await schema.createIndex("members_by_address").on("members").column("email").execute();

    await schema
      .createTable("member_settings")
      .addColumn("member_id", "text", (c) => c.primaryKey().references("members.id").onDelete("cascade"))
      .addColumn("follows", "text", (c) => c.notNull())
      .addColumn("undo", "text")
      .addColumn("calendar_hash", "text", (c) => c.unique())
      .addColumn("calendar_created_at", "bigint")
      .execute();

    await schema
      .createTable("planned_statuses")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull())
      .addColumn("member_id", "text", (c) => c.notNull().references("members.id").onDelete("cascade"))
      .addColumn("status_key", "text", (c) => c.notNull())
      .addColumn("note", "text")
      .addColumn("starts_at", "bigint")
      .addColumn("ends_at", "bigint")
      .addColumn("weekday", "integer")
      .addColumn("start_minute", "integer")
      .addColumn("end_minute", "integer")
      .addColumn("next_at", "bigint")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .execute();
    await schema
      .createIndex("planned_statuses_by_member")
      .on("planned_statuses")
      .columns(["member_id", "id"])
      .execute();
    await schema
      .createIndex("planned_statuses_due")
      .on("planned_statuses")
      .column("next_at")
      .where(sql.ref("next_at"), "is not", null)
      .execute();

    await schema
      .createTable("invitations")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("email", "text", (c) => c.notNull())
      .addColumn("role", "text", (c) => c.notNull())
      .addColumn("group_name", "text")
      .addColumn("invited_by", "text")
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .addColumn("expires_at", "bigint", (c) => c.notNull())
      .addUniqueConstraint("invitations_by_email", ["email", "org_id"])
      .execute();
    await schema
      .createTable("first_runs")
      .addColumn("hash", "text", (c) => c.primaryKey())
      .addColumn("created_at", "bigint", (c) => c.notNull())
      .execute();

    await schema.alterTable("tokens").addColumn("expiry_mailed_at", "bigint").execute();
    await schema
      .alterTable("share_links")
      .addColumn("name", "text", (c) => c.notNull().defaultTo(""))
      .execute();
    await schema.alterTable("share_links").addColumn("creator", "text").execute();
    await schema.alterTable("share_links").addColumn("expires_at", "bigint").execute();
    await schema.alterTable("share_links").addColumn("accessed_at", "bigint").execute();
    await schema
      .createIndex("todos_by_project")
      .on("todos")
      .columns(["project_id", "position", "id"])
      .where(sql.ref("project_id"), "is not", null)
      .execute();
  },
  "006-what-was-revised": async (tx) => {
    await tx.schema
      .alterTable("orgs")
      .addColumn("revision_before", "text", (c) => c.notNull().defaultTo(""))
      .execute();
    await tx.schema.alterTable("orgs").addColumn("revised", "text").execute();
  },
  "007-called-address": async (tx) => {
    await tx.schema.alterTable("attempts").addColumn("url", "text").execute();
  },
  "008-mails-of-invitations": async (tx) => {
    await tx.schema.alterTable("mails").addColumn("invitation_id", "text").execute();
    await tx.schema
      .createIndex("mails_by_invitation")
      .on("mails")
      .column("invitation_id")
      .where(sql.ref("invitation_id"), "is not", null)
      .execute();
  },
  "009-audit-and-deliveries": async ({ schema }) => {
    await schema
      .createTable("former_members")
      .addColumn("id", "text", (c) => c.primaryKey())
      .addColumn("org_id", "text", (c) => c.notNull().references("orgs.id"))
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("left_at", "bigint", (c) => c.notNull())
      .execute();
    await schema.createIndex("former_members_by_age").on("former_members").column("left_at").execute();
    for (const column of ["actor", "action"])
      await schema
        .createIndex(`audit_log_by_${column}`)
        .on("audit_log")
        .columns(["org_id", column, "id"])
        .execute();
    await schema.createIndex("audit_log_by_age").on("audit_log").columns(["org_id", "at"]).execute();
    await schema
      .createIndex("deliveries_by_type")
      .on("deliveries")
      .columns(["webhook_id", "event_type", "sequence"])
      .execute();
    await schema
      .createIndex("deliveries_failed")
      .on("deliveries")
      .columns(["webhook_id", "sequence"])
      .where(sql.ref("state"), "=", sql.lit("failed"))
      .execute();
  },
  "010-open-and-done-todos": async ({ schema }) => {
    const open = (name: string, columns: string[]) =>
      schema
        .createIndex(name)
        .on("todos")
        .columns(columns)
        .where(sql.ref("done_at"), "is", null)
        .where(sql.ref("archived"), "=", sql.lit(0));
    const done = (name: string, columns: string[]) =>
      schema.createIndex(name).on("todos").columns(columns).where(sql.ref("done_at"), "is not", null);
    await open("todos_open_in_order", ["member_id", "position", "id"]).execute();
    await done("todos_done_last", ["member_id", "done_at", "id"]).execute();
    // Most are in no project: those cost nothing here.
    await open("todos_open_by_project", ["project_id", "position", "id"])
      .where(sql.ref("project_id"), "is not", null)
      .execute();
    await done("todos_done_by_project", ["project_id", "done_at", "id"])
      .where(sql.ref("project_id"), "is not", null)
      .execute();
  },
  "011-runs-and-archive": async (tx) => {
    for (const column of ["status_plan", "own_plan"])
      await tx.schema.alterTable("members").addColumn(column, "text").execute();
    // What was planned once and runs may do so for weeks; what is weekly is over within a day.
    const runOf = (part: "status" | "own") => {
      const column = (name: string) => sql.ref(`members.${part}_${name}`);
      return sql`(select max(p.id) from planned_statuses as p where p.member_id = members.id and p.next_at is null
        and p.status_key = ${column("key")} and p.ends_at = ${column("expires_at")}
        and p.note is not distinct from ${column("note")})`;
    };
    await sql`update members set own_plan = ${runOf("own")} where own_expires_at is not null`.execute(tx);
    await sql`update members set status_plan = ${runOf("status")}
      where status_expires_at is not null and status_by is null and status_source in ('plan', 'app')`.execute(
      tx,
    );

    const archived = (name: string, column: string) =>
      tx.schema
        .createIndex(name)
        .on("todos")
        .columns([column, "updated_at", "id"])
        .where(sql.ref("archived"), "=", sql.lit(1));
    await archived("todos_archived_last", "member_id").execute();
    await archived("todos_archived_by_project", "project_id")
      .where(sql.ref("project_id"), "is not", null)
      .execute();
  },
  "012-passing-statuses": async (tx) => {
    await tx.schema.alterTable("members").addColumn("passing", "text").execute();
    // A run that is shown over a longer choice was kept nowhere else.
    const rows = await tx
      .selectFrom("members")
      .selectAll()
      .where("status_plan", "is not", null)
      .where("status_expires_at", "is not", null)
      .where("own_key", "is not", null)
      .where(sql<boolean>`own_plan is distinct from status_plan`)
      .execute();
    for (const { id, ...row } of rows) {
      const run = {
        key: row.status_key,
        note: row.status_note,
        expiresAt: row.status_expires_at,
        setAt: row.status_set_at,
        plan: row.status_plan,
      };
      await tx
        .updateTable("members")
        .set({ passing: JSON.stringify([run]) })
        .where("id", "=", id)
        .execute();
    }
  },
  "013-last-closing": async (tx) => {
    await tx.schema.alterTable("orgs").addColumn("closed_at", "bigint").execute();
    await sql`update orgs set closed_at = next_closing_at - ${sql.lit(24 * 3_600_000)}`.execute(tx);
  },
};

export const migrations: Migrations = { service: "presence", steps };
