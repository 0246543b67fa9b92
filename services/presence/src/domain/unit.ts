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

/** The members of the organisation. */
export interface Members {
  byEmail(email: string): Promise<MemberRecord | undefined>;
  byRef(integrationId: string, ref: string): Promise<MemberRecord | undefined>;
  withStatus(key: string | null): Promise<MemberRecord[]>;
  expiredBy(time: number, limit: number): Promise<MemberRecord[]>;
  insert(member: MemberRecord): Promise<void>;
  /** Takes the member's TODOs and references along. */
  delete(id: string): Promise<void>;
  saveStatus(memberId: string, status: StatusRecord): Promise<void>;
  saveRefs(
    member: MemberRecord,
    integration: IntegrationRecord,
    ref: string | null,
    refs: MemberRecord["refs"],
  ): Promise<void>;
}

export interface Projects {
  find(id: string): Promise<ProjectRecord | undefined>;
  save(project: ProjectRecord): Promise<void>;
}

export interface Todos {
  find(id: string): Promise<TodoRecord | undefined>;
  byRef(integrationId: string, system: string, ref: string): Promise<TodoRecord | undefined>;
  /** Puts a TODO behind the member's others, unless its integration has one with the same reference. */
  append(todo: Omit<TodoRecord, "position">): Promise<TodoRecord | undefined>;
  save(todo: TodoRecord): Promise<void>;
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
  save(link: ShareLinkRecord): Promise<void>;
}

export interface Webhooks {
  find(id: string): Promise<WebhookRecord | undefined>;
  count(): Promise<number>;
  save(webhook: WebhookRecord): Promise<void>;
  delete(id: string): Promise<void>;
  /** Makes finished deliveries due again; answers how many. */
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
  /** The address of a member's face. */
  avatarUrl(email: string): string;
  readonly members: Members;
  readonly projects: Projects;
  readonly todos: Todos;
  readonly access: Access;
  readonly shareLinks: ShareLinks;
  readonly webhooks: Webhooks;
}

/** Where changes are made. */
export interface Desk {
  change<T>(orgId: string, actor: Actor, work: (unit: Unit) => Promise<T>): Promise<T>;
  /** Creates an organisation and makes its first change, both or neither. */
  createOrg<T>(org: Org, actor: Actor, work: (unit: Unit) => Promise<T>): Promise<T>;
}

export type { EventRecord };
