import { integrationOf, sourceOf } from "./actor.ts";
import { isoTime, isoTimeOrNull } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { MemberRecord, TodoRecord } from "./records.ts";
import type { EventType, Todo } from "./resources.ts";
import { demandSeen } from "./shown-text.ts";
import { type Condition, demand } from "./todo-condition.ts";
import type { Unit } from "./unit.ts";

export interface TodoDraft {
  /** Made by the caller, so that a repeated request finds what an earlier one created. */
  readonly id?: string;
  readonly text: string;
  readonly projectId?: string | null;
  readonly externalSystem?: string;
  readonly externalRef?: string;
  readonly externalUrl?: string | null;
}

export interface TodoPatch {
  readonly text?: string;
  readonly projectId?: string | null;
  readonly externalUrl?: string | null;
  readonly archived?: boolean;
  readonly position?: number;
  readonly done?: boolean;
}

export interface Created {
  readonly todo: TodoRecord;
  readonly replayed: boolean;
  /** Which fields of a repeated request differ from what is stored. */
  readonly differs: readonly string[];
}

export const todoView = (todo: TodoRecord): Todo => ({
  id: todo.id,
  memberId: todo.memberId,
  projectId: todo.projectId,
  text: todo.text,
  done: todo.doneAt !== null,
  doneAt: isoTimeOrNull(todo.doneAt),
  archived: todo.archived,
  position: todo.position,
  externalSystem: todo.externalSystem,
  externalRef: todo.externalRef,
  externalUrl: todo.externalUrl,
  source: todo.source,
  version: todo.version,
  createdAt: isoTime(todo.createdAt),
  updatedAt: isoTime(todo.updatedAt),
});

/** Of one member, done and archived ones not counted. */
export const MAX_OPEN_TODOS = 10_000;

/** Refuses what would be too many open ones of a member. */
export async function demandRoom(unit: Unit, member: MemberRecord, more: number): Promise<void> {
  if ((await unit.todos.countOpen(member.id)) + more > MAX_OPEN_TODOS) throw refuse("too_many_todos");
}

/** Creates a TODO, or finds the one that an earlier request with the same reference created. */
export async function createTodo(unit: Unit, member: MemberRecord, draft: TodoDraft): Promise<Created> {
  demandSeen(draft.text, "A TODO's text");
  demandWebUrl(draft.externalUrl);
  const integration = integrationOf(unit.actor);
  const externalRef = draft.externalRef ?? null;
  const externalSystem = draft.externalSystem ?? (externalRef ? (integration?.name ?? null) : null);
  const earlier = async (): Promise<Created | undefined> => {
    const own = await ownTodo(unit, member, draft.id);
    if (own) return { todo: own, replayed: true, differs: differences(own, member, draft) };
    if (!integration || externalSystem === null || externalRef === null) return undefined;
    const stored = await unit.todos.byRef(integration.id, externalSystem, externalRef);
    return stored && { todo: stored, replayed: true, differs: differences(stored, member, draft) };
  };
  if (draft.projectId) {
    const replayed = await earlier();
    if (replayed) return replayed;
    await demandProject(unit, draft.projectId);
  }
  const todo = await unit.todos.append({
    id: draft.id ?? unit.newId(),
    memberId: member.id,
    projectId: draft.projectId ?? null,
    text: draft.text,
    doneAt: null,
    archived: false,
    integrationId: integration?.id ?? null,
    externalSystem,
    externalRef,
    externalUrl: draft.externalUrl ?? null,
    source: sourceOf(unit.actor),
    version: 1,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
  if (!todo) {
    const replayed = await earlier();
    if (replayed) return replayed;
    if (draft.id !== undefined) throw refuse("todo_exists");
    throw new Error("a TODO conflicts with none of its integration");
  }
  unit.emit("todo.created", { todo: todoView(todo) });
  return { todo, replayed: false, differs: [] };
}

/** The member's TODO with an id that they have made. */
export async function ownTodo(
  unit: Unit,
  member: MemberRecord,
  id: string | undefined,
): Promise<TodoRecord | undefined> {
  const todo = id === undefined ? undefined : await unit.todos.find(id);
  return todo?.memberId === member.id ? todo : undefined;
}

/** Changes what the patch names. Each kind of change is told by an event of its own, the version moves once. */
export async function updateTodo(
  unit: Unit,
  id: string,
  patch: TodoPatch,
  condition: Condition,
): Promise<TodoRecord> {
  const todo = await existing(unit, id);
  demand(todo, condition);
  if (patch.text !== undefined) demandSeen(patch.text, "A TODO's text");
  demandWebUrl(patch.externalUrl);
  if (patch.projectId && patch.projectId !== todo.projectId) await demandProject(unit, patch.projectId);
  const next: TodoRecord = {
    ...todo,
    text: patch.text ?? todo.text,
    projectId: patch.projectId === undefined ? todo.projectId : patch.projectId,
    externalUrl: patch.externalUrl === undefined ? todo.externalUrl : patch.externalUrl,
    archived: patch.archived ?? todo.archived,
    position: patch.position ?? todo.position,
    doneAt: patch.done === undefined ? todo.doneAt : patch.done ? (todo.doneAt ?? unit.now) : null,
  };
  return save(unit, todo, next);
}

export const completeTodo = (unit: Unit, id: string, done: boolean, condition: Condition) =>
  updateTodo(unit, id, { done }, condition);

/** Puts a TODO behind another one of the same member, or before all. */
export async function moveTodo(unit: Unit, id: string, after: string | null): Promise<TodoRecord> {
  const todo = await existing(unit, id);
  const before = after === null ? undefined : await existing(unit, after);
  if (before && (before.memberId !== todo.memberId || before.id === todo.id)) throw refuse("todo_not_found");
  const [next] = await unit.todos.following(todo.memberId, before, id, 1);
  const place = between(before?.position, next?.position);
  if (place !== undefined) return save(unit, todo, { ...todo, position: place });
  return spread(unit, todo, before as TodoRecord);
}

/** How far apart positions are set, as a share of their size: about 20 halvings fit between two of them. */
const MIN_SHARE = 2 ** -32;
const PORTION = 100;

/**
 * Puts a TODO behind another one where no number is left between that and the next: those that follow are set apart, as
 * many as it takes to have room. Whoever has thousands of them would hold up all other writes otherwise.
 */
async function spread(unit: Unit, todo: TodoRecord, before: TodoRecord): Promise<TodoRecord> {
  const first = before.position;
  const minStep = (last: number) => Math.max(1, Math.abs(first), Math.abs(last)) * MIN_SHARE;
  const crowded: TodoRecord[] = [];
  let step: number | undefined;
  while (step === undefined) {
    const last = crowded.at(-1) ?? before;
    const portion = await unit.todos.following(todo.memberId, last, todo.id, PORTION);
    for (const each of portion) {
      const room = (each.position - first) / (crowded.length + 2);
      if (room >= minStep(each.position)) {
        step = room;
        break;
      }
      crowded.push(each);
    }
    if (step === undefined && portion.length < PORTION) step = Math.max(1, minStep(first));
  }
  const moved = await save(unit, todo, { ...todo, position: first + step });
  for (const [i, each] of crowded.entries())
    await save(unit, each, { ...each, position: first + (i + 2) * step });
  return moved;
}

/** A number between two; undefined where none is left. */
function between(before: number | undefined, next: number | undefined): number | undefined {
  if (before === undefined) return next === undefined ? 1 : next - 1;
  if (next === undefined) return Math.floor(before) + 1;
  const middle = (before + next) / 2;
  return middle > before && middle < next ? middle : undefined;
}

export async function deleteTodo(unit: Unit, id: string, condition: Condition): Promise<void> {
  const todo = await existing(unit, id);
  demand(todo, condition);
  await unit.todos.delete(id);
  unit.emit("todo.deleted", { todo: todoView(todo) });
}

/** Which fields each event tells of. Coming out of the archive is an update like any other. */
const KINDS: ReadonlyArray<{ type: EventType & `todo.${string}`; fields: ReadonlyArray<keyof Todo> }> = [
  { type: "todo.updated", fields: ["text", "projectId", "externalUrl"] },
  { type: "todo.completed", fields: ["done", "doneAt"] },
  { type: "todo.archived", fields: ["archived"] },
  { type: "todo.reordered", fields: ["position"] },
];

async function save(unit: Unit, before: TodoRecord, wanted: TodoRecord): Promise<TodoRecord> {
  const old = todoView(before);
  const changed = (fields: ReadonlyArray<keyof Todo>, now: Todo) =>
    fields.filter((field) => old[field] !== now[field]);
  if (
    changed(
      KINDS.flatMap(({ fields }) => fields),
      todoView(wanted),
    ).length === 0
  )
    return before;

  const next = { ...wanted, version: before.version + 1, updatedAt: unit.now };
  const todo = todoView(next);
  await unit.todos.save(next);
  for (const { type, fields } of KINDS) {
    const names = changed(fields, todo);
    if (names.length === 0) continue;
    const previous = Object.fromEntries(names.map((name) => [name, old[name]]));
    unit.emit(told(type, todo), { todo, previous });
  }
  return next;
}

function told(type: EventType & `todo.${string}`, now: Todo): EventType & `todo.${string}` {
  if (type === "todo.completed" && !now.done) return "todo.uncompleted";
  if (type === "todo.archived" && !now.archived) return "todo.updated";
  return type;
}

function differences(stored: TodoRecord, member: MemberRecord, draft: TodoDraft): string[] {
  const differs: string[] = [];
  if (stored.memberId !== member.id) differs.push("memberId");
  for (const name of ["text", "projectId", "externalUrl"] as const) {
    if (draft[name] !== undefined && draft[name] !== stored[name]) differs.push(name);
  }
  return differs;
}

async function existing(unit: Unit, id: string): Promise<TodoRecord> {
  const todo = await unit.todos.find(id);
  if (!todo) throw refuse("todo_not_found");
  return todo;
}

async function demandProject(unit: Unit, id: string): Promise<void> {
  if (!(await unit.projects.find(id))) throw refuse("project_not_found");
}

function demandWebUrl(text: string | null | undefined): void {
  if (text === null || text === undefined) return;
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw refuse("invalid", "externalUrl is an http or https address.");
}
