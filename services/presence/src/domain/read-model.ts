import type { MemberAddress } from "./member.ts";
import type { EventRecord, MemberRecord, ProjectRecord, TodoRecord } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import type { FindTokenHolder } from "./token-holder.ts";

export interface Page<T> {
  readonly items: T[];
  readonly more: boolean;
}

export interface TodoFilter {
  readonly done?: boolean;
  readonly archived?: boolean;
  readonly project?: string;
}

/** What the integration API reads, from what is committed. */
export interface ReadModel {
  readonly tokenHolder: FindTokenHolder;
  vocabulary(orgId: string): Promise<readonly StatusDefinition[]>;
  member(orgId: string, integrationId: string, address: MemberAddress): Promise<MemberRecord>;
  members(orgId: string, after: string, limit: number): Promise<Page<MemberRecord>>;
  projects(orgId: string, after: string, limit: number): Promise<Page<ProjectRecord>>;
  todo(orgId: string, id: string): Promise<TodoRecord>;
  todoByRef(orgId: string, integrationId: string, system: string, ref: string): Promise<TodoRecord>;
  todos(
    memberId: string,
    filter: TodoFilter,
    after: readonly [position: number, id: string] | undefined,
    limit: number,
  ): Promise<Page<TodoRecord>>;
  events(orgId: string, after: number, limit: number): Promise<Page<EventRecord>>;
  /** How far the organisation's events go, and where those begin that are still kept. */
  eventRange(orgId: string): Promise<{ last: number; purgedThrough: number }>;
}
