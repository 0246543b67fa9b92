import type { Actor } from "./actor.ts";
import type {
  EventRecord,
  IntegrationRecord,
  MemberRecord,
  Org,
  ProjectRecord,
  ShareLinkRecord,
  StatusRecord,
  TodoRecord,
  TokenRecord,
  WebhookRecord,
} from "./records.ts";
import type { EventData, EventType, StatusDefinition } from "./resources.ts";

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
  /** The address of a member's face. */
  avatarUrl(email: string): string;

  memberByEmail(email: string): Promise<MemberRecord | undefined>;
  memberByRef(integrationId: string, ref: string): Promise<MemberRecord | undefined>;
  membersWithStatus(key: string | null): Promise<MemberRecord[]>;
  membersExpiredBy(time: number, limit: number): Promise<MemberRecord[]>;
  insertMember(member: MemberRecord): Promise<void>;
  /** Takes the member's TODOs and references along. */
  deleteMember(id: string): Promise<void>;
  saveStatus(memberId: string, status: StatusRecord): Promise<void>;
  saveRefs(
    member: MemberRecord,
    integration: IntegrationRecord,
    ref: string | null,
    refs: MemberRecord["refs"],
  ): Promise<void>;

  project(id: string): Promise<ProjectRecord | undefined>;
  saveProject(project: ProjectRecord): Promise<void>;

  todo(id: string): Promise<TodoRecord | undefined>;
  todoByRef(integrationId: string, system: string, ref: string): Promise<TodoRecord | undefined>;
  /** Puts a TODO behind the member's others, unless its integration has one with the same reference. */
  appendTodo(todo: Omit<TodoRecord, "position">): Promise<TodoRecord | undefined>;
  saveTodo(todo: TodoRecord): Promise<void>;
  deleteTodo(id: string): Promise<void>;

  integration(name: string): Promise<IntegrationRecord | undefined>;
  insertIntegration(integration: IntegrationRecord): Promise<void>;
  tokensOf(integrationId: string): Promise<TokenRecord[]>;
  tokenById(id: string): Promise<TokenRecord | undefined>;
  insertToken(token: TokenRecord): Promise<void>;
  revokeToken(id: string): Promise<void>;

  shareLinkByHash(hash: string): Promise<ShareLinkRecord | undefined>;
  saveShareLink(link: ShareLinkRecord): Promise<void>;
  shareLink(id: string): Promise<ShareLinkRecord | undefined>;

  webhook(id: string): Promise<WebhookRecord | undefined>;
  countWebhooks(): Promise<number>;
  saveWebhook(webhook: WebhookRecord): Promise<void>;
  deleteWebhook(id: string): Promise<void>;
  /** Makes finished deliveries due again; answers how many. */
  redeliver(webhookId: string, which: { deliveryId: string } | { failedSince: number }): Promise<number>;
}

/** Where changes are made. */
export interface Desk {
  change<T>(orgId: string, actor: Actor, work: (unit: Unit) => Promise<T>): Promise<T>;
  /** Creates an organisation and makes its first change, both or neither. */
  createOrg<T>(org: Org, actor: Actor, work: (unit: Unit) => Promise<T>): Promise<T>;
}

export type { EventRecord };
