import type { Actor } from "./actor.ts";
import type {
  EventRecord,
  IntegrationRecord,
  InvitationRecord,
  MemberRecord,
  MemberSettings,
  Org,
  OrgSettings,
  PlannedRecord,
  ProjectRecord,
  ShareLinkRecord,
  StatusRecord,
  TodoRecord,
  TokenRecord,
  WebhookRecord,
} from "./records.ts";
import type { EventData, EventType, StatusDefinition } from "./resources.ts";

/** The profile of one member, or nothing that is shown. */
export type Revised = { readonly member: string } | "nothing";

/** The members of the organisation. */
export interface Members {
  byEmail(email: string): Promise<MemberRecord | undefined>;
  byId(id: string): Promise<MemberRecord | undefined>;
  byRef(integrationId: string, ref: string): Promise<MemberRecord | undefined>;
  /** Which of these are members. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  withStatus(key: string | null): Promise<MemberRecord[]>;
  /** Those who have chosen a status themselves, whatever is shown of them now. */
  withChosen(key: string): Promise<MemberRecord[]>;
  /** Those with one of these statuses, without an end, and chosen before a time or by a clock that was ahead of now. */
  openEnded(keys: readonly string[], before: number, now: number, limit: number): Promise<MemberRecord[]>;
  countAdmins(): Promise<number>;
  expiredBy(time: number, limit: number): Promise<MemberRecord[]>;
  insert(member: MemberRecord): Promise<void>;
  /** Takes the member's TODOs and references along; the name stays for the audit log. */
  delete(member: Pick<MemberRecord, "id" | "name">, leftAt: number): Promise<void>;
  saveStatus(memberId: string, status: StatusRecord): Promise<void>;
  /** What the member has chosen, beside what is shown. */
  saveOwn(memberId: string, status: StatusRecord): Promise<void>;
  saveProfile(member: Pick<MemberRecord, "id" | "name" | "role" | "group" | "timeZone">): Promise<void>;
  settings(memberId: string): Promise<MemberSettings>;
  saveSettings(memberId: string, settings: MemberSettings): Promise<void>;
  saveRefs(
    member: MemberRecord,
    integration: IntegrationRecord,
    ref: string | null,
    refs: MemberRecord["refs"],
  ): Promise<void>;
}

/** On the clocks of a zone. */
export type WeeklyTime = Pick<PlannedRecord, "weekday" | "startMinute">;
export type NextWeeklyTime = Pick<PlannedRecord, "weekday" | "startMinute" | "nextAt">;

export interface PlannedStatuses {
  find(id: string): Promise<PlannedRecord | undefined>;
  of(memberId: string): Promise<PlannedRecord[]>;
  withStatus(key: string): Promise<PlannedRecord[]>;
  /** The times at which weekly ones of members without a zone of their own begin, each once. */
  weeklyTimesInOrgZone(): Promise<NextWeeklyTime[]>;
  /** All of those that begin at one of these times begin next at another instant. */
  moveInOrgZone(time: NextWeeklyTime, nextAt: number | null): Promise<void>;
  /** Weekly ones of members without a zone of their own that run, or come back after what is shown or by an undo. */
  runningInOrgZone(): Promise<PlannedRecord[]>;
  /** Those that begin by a time, the earliest first. */
  due(time: number, limit: number): Promise<PlannedRecord[]>;
  /** Weekly ones that begin after a time. */
  weeklyAfter(time: number, limit: number): Promise<PlannedRecord[]>;
  /** Whose planned statuses begin by a time. */
  dueMembers(time: number): Promise<ReadonlySet<string>>;
  /** Forgets what ended before a time. */
  deleteEnded(memberId: string, before: number): Promise<void>;
  save(planned: PlannedRecord): Promise<void>;
  delete(id: string): Promise<void>;
}

export interface Invitations {
  find(id: string): Promise<InvitationRecord | undefined>;
  byEmail(email: string): Promise<InvitationRecord | undefined>;
  /** Those that have not ended. */
  countOpen(now: number): Promise<number>;
  save(invitation: InvitationRecord): Promise<void>;
  /** With those of its mails that are not sent yet. */
  delete(id: string): Promise<void>;
}

export interface Projects {
  find(id: string): Promise<ProjectRecord | undefined>;
  /** Those that are not in the archive. */
  countOpen(): Promise<number>;
  save(project: ProjectRecord): Promise<void>;
}

export interface Todos {
  find(id: string): Promise<TodoRecord | undefined>;
  byRef(integrationId: string, system: string, ref: string): Promise<TodoRecord | undefined>;
  /** How many of a member's are neither done nor archived. */
  countOpen(memberId: string): Promise<number>;
  /** Puts a TODO behind the member's others, unless its integration has one with the same reference. */
  append(todo: Omit<TodoRecord, "position">): Promise<TodoRecord | undefined>;
  save(todo: TodoRecord): Promise<void>;
  /** A member's TODOs that follow a place in their order, without one of them. */
  following(
    memberId: string,
    after: Pick<TodoRecord, "position" | "id"> | undefined,
    without: string,
    limit: number,
  ): Promise<TodoRecord[]>;
  delete(id: string): Promise<void>;
}

/** Integrations and their tokens. */
export interface Access {
  integration(name: string): Promise<IntegrationRecord | undefined>;
  insertIntegration(integration: IntegrationRecord): Promise<void>;
  tokensOf(integrationId: string): Promise<TokenRecord[]>;
  token(id: string): Promise<TokenRecord | undefined>;
  insertToken(token: TokenRecord): Promise<void>;
  revokeToken(id: string): Promise<void>;
}

export interface ShareLinks {
  find(id: string): Promise<ShareLinkRecord | undefined>;
  byHash(hash: string): Promise<ShareLinkRecord | undefined>;
  /** Those that still open something. */
  countLive(now: number): Promise<number>;
  save(link: ShareLinkRecord): Promise<void>;
}

export interface Webhooks {
  find(id: string): Promise<WebhookRecord | undefined>;
  count(): Promise<number>;
  save(webhook: WebhookRecord): Promise<void>;
  delete(id: string): Promise<void>;
  hasDelivery(webhookId: string, id: string): Promise<boolean>;
  /** Makes finished deliveries due again whose events are kept; answers how many. */
  redeliver(webhookId: string, which: { deliveryId: string } | { failedSince: number }): Promise<number>;
}

/**
 * One change to one organisation: nobody else changes that organisation while it runs, everything it
 * does commits together or not at all, and events get their sequence in the order of commits.
 */
export interface Unit {
  readonly org: Pick<Org, "id" | "sequence" | "vocabulary">;
  readonly actor: Actor;
  readonly now: number;
  newId(): string;
  emit<T extends EventType>(type: T, data: EventData<T>): void;
  /** Keeps a change in the audit log that no event tells of. */
  audit(action: string, subject: string | null, detail?: Readonly<Record<string, unknown>>): void;
  saveVocabulary(vocabulary: readonly StatusDefinition[]): Promise<void>;
  settings(): Promise<OrgSettings>;
  saveSettings(settings: OrgSettings): Promise<void>;
  /** Tells those who watch that something has changed of which no event tells: anything, unless it is said what. */
  touch(what?: Revised): void;
  /** A mail that is sent once the change is committed; that of an invitation only while there is the invitation. */
  mail(
    to: readonly string[],
    mail: { readonly subject: string; readonly body: string },
    invitationId?: string,
  ): Promise<void>;
  /** The address of a member's face. */
  avatarUrl(email: string): string;
  readonly members: Members;
  readonly planned: PlannedStatuses;
  readonly invitations: Invitations;
  readonly projects: Projects;
  readonly todos: Todos;
  readonly access: Access;
  readonly shareLinks: ShareLinks;
  readonly webhooks: Webhooks;
}

/** Where changes are made. */
export interface Desk {
  change<T>(orgId: string, actor: Actor, work: (unit: Unit) => Promise<T>): Promise<T>;
  /**
   * Creates an organisation and makes its first change, both or neither. With the secret of a one-time link only where
   * nobody uses one yet; afterwards no such link is good any more.
   */
  createOrg<T>(org: Org, actor: Actor, work: (unit: Unit) => Promise<T>, firstRunSecret?: string): Promise<T>;
}

export type { EventRecord };
