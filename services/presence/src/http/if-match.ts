import { refuse } from "../domain/codes.ts";
import type { Condition } from "../domain/todo-condition.ts";

/** Reads If-Match. A weak tag never matches, as RFC 9110 (13.1.1) has it. */
export function conditionOf(header: string | undefined): Condition {
  if (header === undefined || header.trim() === "*") return "none";
  return { tags: header.split(",").map((tag) => tag.trim()) };
}

export function requiredConditionOf(header: string | undefined): Condition {
  if (header === undefined) throw refuse("precondition_required");
  return conditionOf(header);
}
