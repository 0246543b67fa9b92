import type { Page } from "./read-model.ts";
import type {
  AuditRecord,
  InvitationRecord,
  MemberRecord,
  MemberSettings,
  Org,
  PlannedRecord,
  ProjectRecord,
  ShareLinkRecord,
  TodoRecord,
  TokenRecord,
  WebhookState,
} from "./records.ts";
import type { Revised } from "./unit.ts";

export interface Membership {
  readonly org: Org;
  readonly member: MemberRecord;
}

export interface AppTodoFilter {
  /** Whose: of a member, or of everyone's in a project. */
  readonly member?: string;
  readonly project?: string;
  readonly done?: boolean;
  readonly archived?: boolean;
  readonly order?: TodoOrder;
}

/** `position`: as a person has put them, which is what holds unless told. `done`: only those, the newest first. */
export type TodoOrder = "position" | "done" | "changed";

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly state: WebhookState;
  readonly disabledReason: string | null;
  readonly failingSince: string | null;
  readonly createdAt: string;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly sequence: number;
  readonly state: "pending" | "delivered" | "failed";
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextAttemptAt: number | null;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

export interface AttemptRow {
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly url: string | null;
}

export interface DeliveryFilter {
  readonly outcome?: "pending" | "delivered" | "failed";
  readonly type?: string;
  readonly since?: number;
  readonly until?: number;
}

/** What the web app reads, from what is committed. */
/** Another one whenever something has changed of which no event tells. */
export interface Revision {
  readonly revision: string;
  readonly before: string;
  /** What has changed since the one before; undefined: anything. */
  readonly revised: Revised | undefined;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
}

export interface AppReadModel {
  membership(slug: string, email: string): Promise<Membership | undefined>;
  /** Where a person is a member, and where they are invited. */
  membershipsOf(email: string): Promise<Membership[]>;
  invitationsTo(
    email: string,
    now: number,
  ): Promise<Array<InvitationRecord & { readonly org: Pick<Org, "id" | "name"> }>>;
  org(id: string): Promise<Org | undefined>;
  memberById(orgId: string, id: string): Promise<MemberRecord | undefined>;
  memberList(orgId: string): Promise<MemberRecord[]>;
  memberSettings(memberId: string): Promise<MemberSettings>;
  planned(memberId: string): Promise<PlannedRecord[]>;
  revision(orgId: string): Promise<Revision>;
  todosOf(
    orgId: string,
    filter: AppTodoFilter,
    after: readonly [place: number, id: string] | undefined,
    limit: number,
  ): Promise<Page<TodoRecord>>;
  projectList(orgId: string): Promise<ProjectRecord[]>;
  project(orgId: string, id: string): Promise<ProjectRecord | undefined>;
  /** How many TODOs of each project are neither done nor archived. */
  openCounts(orgId: string): Promise<ReadonlyMap<string, number>>;
  shareLinks(orgId: string): Promise<ShareLinkRecord[]>;
  shareLink(hash: string): Promise<{ readonly link: ShareLinkRecord; readonly orgId: string } | undefined>;
  calendarOwner(hash: string): Promise<Membership | undefined>;
  invitations(orgId: string): Promise<InvitationRecord[]>;
  /** How many members have each status, and how many planned statuses there are of it. */
  statusCounts(
    orgId: string,
    now: number,
  ): Promise<{ holders: ReadonlyMap<string | null, number>; planned: ReadonlyMap<string, number> }>;
  tokenList(orgId: string): Promise<Array<TokenRecord & { readonly integration: string }>>;
  webhookList(orgId: string): Promise<WebhookRow[]>;
  deliveries(
    webhookId: string,
    filter: DeliveryFilter,
    before: number | undefined,
    limit: number,
  ): Promise<Page<DeliveryRow>>;
  delivery(
    webhookId: string,
    id: string,
    orgSlug: string,
  ): Promise<
    | { readonly delivery: DeliveryRow; readonly body: string | null; readonly attempts: AttemptRow[] }
    | undefined
  >;
  countFailed(webhookId: string, since: number): Promise<number>;
  /** What people changed, newest first. */
  auditPage(
    orgId: string,
    filter: AuditFilter,
    before: string | undefined,
    limit: number,
  ): Promise<Page<AuditRecord>>;
  /** What integrations and the clock changed, newest first, before an event; `next`: where to go on, though this page may be empty. */
  unattendedPage(
    orgId: string,
    filter: AuditFilter,
    before: number | undefined,
    limit: number,
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly next: number | null }>;
  /** The names of people who are members of an organisation no more, by their ids. */
  formerNames(orgId: string, ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
}
