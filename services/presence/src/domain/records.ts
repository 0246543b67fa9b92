import type { EventType, StatusDefinition } from "./resources.ts";
import type { Scope } from "./scopes.ts";

/** What is kept. Times are milliseconds since the epoch. */

export interface Org {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The last event's sequence. */
  readonly sequence: number;
  /** Events up to this sequence are no longer kept. */
  readonly purgedThrough: number;
  readonly vocabulary: readonly StatusDefinition[];
  readonly createdAt: number;
  /** Another one whenever something has changed of which no event tells. */
  readonly revision: string;
  readonly settings: OrgSettings;
}

export interface OrgSettings {
  readonly name: string;
  readonly timeZone: string;
  /** The minute of the day at which open-ended statuses end; null: they do not. */
  readonly closingMinute: number | null;
  /** When that is next. */
  readonly nextClosingAt: number | null;
  /** When that was last. */
  readonly closedAt: number | null;
}

export interface StatusRecord {
  /** Null is the organisation's default, whichever that is. */
  readonly statusKey: string | null;
  readonly statusExpiresAt: number | null;
  readonly statusSetAt: number | null;
  readonly statusSource: string;
  readonly statusNote: string | null;
  /** The member who set it, where that is somebody else. */
  readonly statusBy: string | null;
  /** The planned status that has begun it; null: it was set. */
  readonly statusPlan: string | null;
  /** What the member has chosen beneath all else: it comes back, if it still holds, when that has run out. Null is nothing. */
  readonly ownKey: string | null;
  readonly ownNote: string | null;
  readonly ownExpiresAt: number | null;
  readonly ownSetAt: number | null;
  /** The planned status by which it was chosen; null: it was set. */
  readonly ownPlan: string | null;
  /** What was chosen over that: what comes back next is the first. Null is nothing. */
  readonly passing: readonly Chosen[] | null;
}

/** A choice of a member's own, or the run of a planned status. */
export interface Chosen {
  readonly key: string;
  readonly note: string | null;
  readonly expiresAt: number | null;
  readonly setAt: number | null;
  /** The planned status that has begun it; null: it was set. */
  readonly plan: string | null;
}

export const SHOWN_FIELDS = [
  "statusKey",
  "statusExpiresAt",
  "statusSetAt",
  "statusSource",
  "statusNote",
  "statusBy",
  "statusPlan",
] as const satisfies ReadonlyArray<keyof StatusRecord>;
export const OWN_FIELDS = [
  "ownKey",
  "ownNote",
  "ownExpiresAt",
  "ownSetAt",
  "ownPlan",
  "passing",
] as const satisfies ReadonlyArray<keyof StatusRecord>;

/** What a person may do in an organisation, from little to much. */
export const ROLES = ["member", "reception", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface MemberRecord extends StatusRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly group: string | null;
  /** Null is the organisation's. */
  readonly timeZone: string | null;
  readonly joinedAt: number;
  /** External references by integration name. */
  readonly refs: Readonly<Record<string, string>>;
}

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TodoRecord {
  readonly id: string;
  readonly memberId: string;
  readonly projectId: string | null;
  readonly text: string;
  readonly doneAt: number | null;
  readonly archived: boolean;
  readonly position: number;
  readonly integrationId: string | null;
  readonly externalSystem: string | null;
  readonly externalRef: string | null;
  readonly externalUrl: string | null;
  readonly source: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A status for later: once from one time to another, or on a day of every week. */
export interface PlannedRecord {
  readonly id: string;
  readonly memberId: string;
  readonly statusKey: string;
  readonly note: string | null;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** Monday is 1. Where this is set, it is weekly, on the clocks of the member's zone. */
  readonly weekday: number | null;
  readonly startMinute: number | null;
  readonly endMinute: number | null;
  /** When it begins next; null when it has begun for the only time. */
  readonly nextAt: number | null;
  readonly createdAt: number;
}

export interface InvitationRecord {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly group: string | null;
  readonly invitedBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a change of a status in the app has replaced. */
export interface StatusUndo {
  /** Names the change. Absent where it was kept by a version without ids: nobody was told how to take that back. */
  readonly id?: string;
  readonly before: StatusRecord;
  readonly after: StatusRecord;
}

/** What a member keeps that no integration is told of. */
export interface MemberSettings {
  readonly follows: readonly string[];
  /** The status before the last change in the app, and what that change left: it can be undone while that holds. */
  readonly undo: StatusUndo | null;
  readonly calendarHash: string | null;
  readonly calendarCreatedAt: number | null;
}

export interface ShareLinkRecord {
  readonly id: string;
  readonly kind: "board" | "project" | "wall";
  readonly projectId: string | null;
  readonly tokenHash: string;
  readonly name: string;
  /** The member who made it. */
  readonly creator: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly accessedAt: number | null;
  readonly revokedAt: number | null;
}

export interface IntegrationRecord {
  readonly id: string;
  readonly name: string;
}

export interface TokenRecord {
  readonly id: string;
  readonly integrationId: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** One that is removed is seen by nobody; the retention deletes it with its deliveries, in portions. */
export type WebhookState = "active" | "paused" | "disabled" | "removed";

export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  /** Empty is every type. */
  readonly events: readonly EventType[];
  /** Null when it is sealed with a key that this service does not have. */
  readonly secret: string | null;
  /** Secrets from before it, the newest first, which sign beside it until `previousUntil`. */
  readonly previousSecrets: readonly string[];
  readonly previousUntil: number | null;
  readonly state: WebhookState;
  readonly disabledReason: string | null;
  readonly failingSince: number | null;
  /** The last sequence that was looked at for this webhook. */
  readonly cursor: number;
  readonly createdAt: number;
}

/** One that can be signed for. */
export type SigningWebhook = WebhookRecord & { readonly secret: string };

export interface EventRecord {
  readonly id: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly occurredAt: number;
  /** Who did it; null for events from before that was kept. */
  readonly source: string | null;
  /** As the audit log tells it; missing where nobody asks. */
  readonly actor?: string | null;
  /** JSON, as it was when it happened. */
  readonly data: string;
}

/** A change, as the audit log keeps it. */
export interface AuditRecord {
  readonly id: string;
  readonly at: number;
  /** `integration:<name> token:<id>`, `member:<id>`, `cli`, `plan` or `expiry`. */
  readonly actor: string;
  readonly action: string;
  /** What was changed, by its id or key. */
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}
