import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { Insertable, Selectable } from "kysely";
import { detailOf, subjectOf } from "../domain/audit-detail.ts";
import type {
  AuditRecord,
  EventRecord,
  InvitationRecord,
  MemberRecord,
  Org,
  OrgSettings,
  PlannedRecord,
  ProjectRecord,
  ShareLinkRecord,
  TodoRecord,
  TokenRecord,
  WebhookRecord,
} from "../domain/records.ts";
import type { Tables } from "./tables.ts";

/** Rows and records are the same facts; these pairs turn one into the other. */

type Row<T extends keyof Tables> = Selectable<Tables[T]>;

export const orgFrom = (row: Row<"orgs">): Org => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  sequence: row.sequence,
  purgedThrough: row.purged_through,
  vocabulary: JSON.parse(row.vocabulary),
  createdAt: row.created_at,
  revision: row.revision,
  settings: settingsFrom(row),
});

export const settingsFrom = (
  row: Pick<Row<"orgs">, "name" | "time_zone" | "closing_minute" | "next_closing_at" | "closed_at">,
): OrgSettings => ({
  name: row.name,
  timeZone: row.time_zone,
  closingMinute: row.closing_minute,
  nextClosingAt: row.next_closing_at,
  closedAt: row.closed_at,
});

export const settingsRow = (settings: OrgSettings) => ({
  name: settings.name,
  time_zone: settings.timeZone,
  closing_minute: settings.closingMinute,
  next_closing_at: settings.nextClosingAt,
  closed_at: settings.closedAt,
});

export const orgRow = (org: Org): Insertable<Tables["orgs"]> => ({
  id: org.id,
  slug: org.slug,
  sequence: org.sequence,
  purged_through: org.purgedThrough,
  vocabulary: JSON.stringify(org.vocabulary),
  vocabulary_id: org.id,
  created_at: org.createdAt,
  revision: "",
  revision_before: "",
  revised: null,
  ...settingsRow(org.settings),
});

export const memberFrom = (row: Row<"members">): MemberRecord => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role as MemberRecord["role"],
  joinedAt: row.joined_at,
  refs: row.refs === "{}" ? {} : JSON.parse(row.refs),
  statusKey: row.status_key,
  statusExpiresAt: row.status_expires_at,
  statusSetAt: row.status_set_at,
  statusSource: row.status_source,
  statusNote: row.status_note,
  statusBy: row.status_by,
  statusPlan: row.status_plan,
  ownKey: row.own_key,
  ownNote: row.own_note,
  ownExpiresAt: row.own_expires_at,
  ownSetAt: row.own_set_at,
  ownPlan: row.own_plan,
  passing: row.passing === null ? null : JSON.parse(row.passing),
  group: row.group_name,
  timeZone: row.time_zone,
});

export const memberRow = (orgId: string, member: MemberRecord): Insertable<Tables["members"]> => ({
  id: member.id,
  org_id: orgId,
  email: member.email,
  name: member.name,
  role: member.role,
  joined_at: member.joinedAt,
  refs: JSON.stringify(member.refs),
  status_key: member.statusKey,
  status_expires_at: member.statusExpiresAt,
  status_set_at: member.statusSetAt,
  status_source: member.statusSource,
  status_note: member.statusNote,
  status_by: member.statusBy,
  status_plan: member.statusPlan,
  own_key: member.ownKey,
  own_note: member.ownNote,
  own_expires_at: member.ownExpiresAt,
  own_set_at: member.ownSetAt,
  own_plan: member.ownPlan,
  passing: member.passing && JSON.stringify(member.passing),
  group_name: member.group,
  time_zone: member.timeZone,
});

export const projectFrom = (row: Row<"projects">): ProjectRecord => ({
  id: row.id,
  name: row.name,
  archived: row.archived === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const projectRow = (orgId: string, project: ProjectRecord): Insertable<Tables["projects"]> => ({
  id: project.id,
  org_id: orgId,
  name: project.name,
  archived: project.archived ? 1 : 0,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
});

export const todoFrom = (row: Row<"todos">): TodoRecord => ({
  id: row.id,
  memberId: row.member_id,
  projectId: row.project_id,
  text: row.text,
  doneAt: row.done_at,
  archived: row.archived === 1,
  position: row.position,
  integrationId: row.integration_id,
  externalSystem: row.external_system,
  externalRef: row.external_ref,
  externalUrl: row.external_url,
  source: row.source,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const todoRow = (orgId: string, todo: TodoRecord): Insertable<Tables["todos"]> => ({
  id: todo.id,
  org_id: orgId,
  member_id: todo.memberId,
  project_id: todo.projectId,
  text: todo.text,
  done_at: todo.doneAt,
  archived: todo.archived ? 1 : 0,
  position: todo.position,
  integration_id: todo.integrationId,
  external_system: todo.externalSystem,
  external_ref: todo.externalRef,
  external_url: todo.externalUrl,
  source: todo.source,
  version: todo.version,
  created_at: todo.createdAt,
  updated_at: todo.updatedAt,
});

export const tokenFrom = (row: Row<"tokens">): TokenRecord => ({
  id: row.id,
  integrationId: row.integration_id,
  name: row.name,
  hash: row.hash,
  scopes: JSON.parse(row.scopes),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

export const plannedFrom = (row: Row<"planned_statuses">): PlannedRecord => ({
  id: row.id,
  memberId: row.member_id,
  statusKey: row.status_key,
  note: row.note,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  weekday: row.weekday,
  startMinute: row.start_minute,
  endMinute: row.end_minute,
  nextAt: row.next_at,
  createdAt: row.created_at,
});

export const plannedRow = (
  orgId: string,
  planned: PlannedRecord,
): Insertable<Tables["planned_statuses"]> => ({
  id: planned.id,
  org_id: orgId,
  member_id: planned.memberId,
  status_key: planned.statusKey,
  note: planned.note,
  starts_at: planned.startsAt,
  ends_at: planned.endsAt,
  weekday: planned.weekday,
  start_minute: planned.startMinute,
  end_minute: planned.endMinute,
  next_at: planned.nextAt,
  created_at: planned.createdAt,
});

export const invitationFrom = (row: Row<"invitations">): InvitationRecord => ({
  id: row.id,
  email: row.email,
  role: row.role as InvitationRecord["role"],
  group: row.group_name,
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export const invitationRow = (
  orgId: string,
  invitation: InvitationRecord,
): Insertable<Tables["invitations"]> => ({
  id: invitation.id,
  org_id: orgId,
  email: invitation.email,
  role: invitation.role,
  group_name: invitation.group,
  invited_by: invitation.invitedBy,
  created_at: invitation.createdAt,
  expires_at: invitation.expiresAt,
});

export const tokenRow = (orgId: string, token: TokenRecord): Insertable<Tables["tokens"]> => ({
  id: token.id,
  org_id: orgId,
  integration_id: token.integrationId,
  name: token.name,
  hash: token.hash,
  scopes: JSON.stringify(token.scopes),
  created_at: token.createdAt,
  last_used_at: token.lastUsedAt,
  expires_at: token.expiresAt,
  revoked_at: token.revokedAt,
  expiry_mailed_at: null,
});

export const shareLinkFrom = (row: Row<"share_links">): ShareLinkRecord => ({
  id: row.id,
  kind: row.kind as ShareLinkRecord["kind"],
  projectId: row.project_id,
  tokenHash: row.token_hash,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  name: row.name,
  creator: row.creator,
  expiresAt: row.expires_at,
  accessedAt: row.accessed_at,
});

export const shareLinkRow = (orgId: string, link: ShareLinkRecord): Insertable<Tables["share_links"]> => ({
  id: link.id,
  org_id: orgId,
  kind: link.kind,
  project_id: link.projectId,
  token_hash: link.tokenHash,
  created_at: link.createdAt,
  revoked_at: link.revokedAt,
  name: link.name,
  creator: link.creator,
  expires_at: link.expiresAt,
  accessed_at: link.accessedAt,
});

/** Secrets from before they were sealed are taken as they are, until the next start seals them. */
export const PLAIN_SECRET = "whsec_";
const opened = (secret: string, box: SecretBox): string | null =>
  secret.startsWith(PLAIN_SECRET) ? secret : (box.open(secret) ?? null);

export const webhookFrom = (row: Row<"webhooks">, box: SecretBox): WebhookRecord => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events),
  secret: opened(row.secret, box),
  previousSecrets: (row.previous_secret && opened(row.previous_secret, box)?.split(" ")) || [],
  previousUntil: row.previous_until,
  state: row.state as WebhookRecord["state"],
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  cursor: row.cursor,
  createdAt: row.created_at,
});

/** Secrets have no spaces, so one column holds them all. */
export const previousRow = (secrets: readonly string[], box: SecretBox) =>
  secrets.length === 0 ? null : box.seal(secrets.join(" "));

/** Without the cursor and the lease, which belong to whoever delivers. */
export const webhookRow = (webhook: WebhookRecord, box: SecretBox) => ({
  url: webhook.url,
  events: JSON.stringify(webhook.events),
  // One that cannot be opened stays as it is: its key may come back.
  ...(webhook.secret === null
    ? {}
    : {
        secret: box.seal(webhook.secret),
        previous_secret: previousRow(webhook.previousSecrets, box),
      }),
  previous_until: webhook.previousUntil,
  state: webhook.state,
  disabled_reason: webhook.disabledReason,
  failing_since: webhook.failingSince,
});

export const eventFrom = (
  row: Omit<Row<"events">, "org_id" | "actor"> & { actor?: string | null },
): EventRecord => ({
  id: row.id,
  sequence: row.sequence,
  type: row.type as EventRecord["type"],
  occurredAt: row.occurred_at,
  source: row.source,
  data: row.data,
  actor: row.actor ?? null,
});

/** An event of which no person is the actor, as the audit log would tell it. */
export function unattendedFrom(row: Row<"events">): AuditRecord {
  const data = JSON.parse(row.data);
  return {
    id: row.id,
    at: row.occurred_at,
    actor: row.actor ?? "",
    action: row.type,
    subject: subjectOf(data),
    detail: detailOf(row.type, data),
  };
}

export const auditFrom = (row: Row<"audit_log">): AuditRecord => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  detail: JSON.parse(row.detail),
});
