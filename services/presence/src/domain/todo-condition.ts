import { DomainError } from "@frontdesk/kit/domain-error";
import { CODES } from "./codes.ts";
import type { TodoRecord } from "./records.ts";

/** What a caller demands of the stored TODO: any of these entity tags, or nothing. */
export type Condition = { readonly tags: readonly string[] } | "none";

/** A strong entity tag: it names one version of one TODO. */
export const etagOf = (todo: Pick<TodoRecord, "id" | "version">): string => `"${todo.id}-${todo.version}"`;

/** The caller's TODO is not the stored one; the refusal carries the stored one. */
export class StaleTodo extends DomainError<"stale"> {
  override name = "StaleTodo";
  readonly current: TodoRecord;

  constructor(current: TodoRecord) {
    super("stale", CODES.stale);
    this.current = current;
  }
}

export function demand(todo: TodoRecord, condition: Condition): void {
  if (condition === "none" || condition.tags.includes(etagOf(todo))) return;
  throw new StaleTodo(todo);
}
