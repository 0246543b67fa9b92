import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient } from "@tanstack/react-query";
import type { Todo } from "../webapp/src/shapes.ts";
import { putTodo, takeOut } from "../webapp/src/todos/put-todo.ts";
import { type TodoFilter, type Todos, todosAfter, todosAfterEvent } from "../webapp/src/todos/todo-lists.ts";
import { todoPages } from "../webapp/src/todos/todo-pages.ts";

const todo = (id: string, position: number, more: Partial<Todo> = {}) =>
  ({
    id,
    position,
    version: 1,
    memberId: "me",
    projectId: null,
    archived: false,
    done: false,
    ...more,
  }) as Todo;
const doneAt = (id: string, minute: number, more: Partial<Todo> = {}) =>
  todo(id, 1, { done: true, doneAt: `2026-03-02T10:${minute}:00.000Z`, ...more });
const list = (...todos: Todo[]): Todos => ({ todos, more: false });
const ids = ({ todos }: Todos) => todos.map(({ id }) => id).join("");
const OPEN: TodoFilter = { member: "me", archived: false, done: false, order: "position" };
const DONE: TodoFilter = { member: "me", archived: false, done: true, order: "done" };

test("a list of TODOs follows what is told: new, moved, archived, and nothing older", () => {
  let todos = list(todo("a", 1), todo("b", 2));
  todos = todosAfter(todos, OPEN, todo("c", 1.5));
  assert.equal(ids(todos), "acb");
  todos = todosAfter(todos, OPEN, todo("a", 3, { version: 2 }));
  assert.equal(ids(todos), "cba");
  assert.equal(todosAfter(todos, OPEN, todo("a", 1)), todos);
  todos = todosAfter(todos, OPEN, todo("c", 1.5, { version: 2, archived: true }));
  assert.equal(ids(todos), "ba");
  assert.equal(todosAfter(todos, OPEN, todo("x", 1, { memberId: "other" })), todos);
  todos = todosAfter(todos, OPEN, todo("b", 2, { version: 2, done: true }));
  assert.equal(ids(todos), "a", "what is done is open no more");
});

test("what was done last is first; what is older than all that was asked for waits until it is asked for", () => {
  let done: Todos = { todos: [doneAt("b", 20), doneAt("a", 10)], more: true };
  done = todosAfter(done, DONE, doneAt("c", 30));
  assert.equal(ids(done), "cba");
  done = todosAfter(done, DONE, doneAt("d", 15));
  assert.equal(ids(done), "cbda");
  assert.deepEqual(todosAfter(done, DONE, { ...doneAt("e", 11), doneAt: "2026-03-02T09:00:00.000Z" }), done);
  assert.equal(ids(todosAfter({ ...done, more: false }, DONE, doneAt("e", 10))), "cbdea");
  const changed: TodoFilter = { archived: true, order: "changed" };
  const archived = (id: string, minute: number) =>
    todo(id, 1, { archived: true, updatedAt: `2026-03-02T10:${minute}:00.000Z` });
  assert.equal(ids(todosAfter(list(archived("a", 10)), changed, archived("b", 20))), "ba");
});

test("of who has left no TODO stays in a list", () => {
  const todos = list(todo("a", 1), todo("b", 2, { memberId: "bert" }));
  assert.equal(ids(todosAfterEvent(todos, { kind: "left", id: 12, data: { id: "bert" } })), "a");
  assert.equal(ids(todosAfterEvent(todos, { kind: "todo-gone", id: 12, data: { id: "a" } })), "b");
});

test("a TODO goes from one list to another, and what is told late of it brings it back into neither", () => {
  const queries = new QueryClient();
  const [open, done] = [
    ["todos", "acme", OPEN, 10],
    ["todos", "acme", DONE, 10],
  ] as const;
  queries.setQueryData(open, list(todo("a", 1), todo("b", 2)));
  queries.setQueryData(done, list());
  const shown = () => [open, done].map((key) => ids(queries.getQueryData<Todos>(key) ?? list()));
  putTodo(queries, "acme", doneAt("a", 10, { version: 2 }));
  assert.deepEqual(shown(), ["b", "a"]);
  putTodo(queries, "acme", todo("a", 1, { version: 3 }));
  putTodo(queries, "acme", doneAt("a", 10, { version: 2 }));
  assert.deepEqual(shown(), ["ab", ""]);
  takeOut(queries, "acme", "a");
  assert.deepEqual(shown(), ["b", ""]);
});

test("every TODO that a member may have is asked for, and of a longer list that there is more", async () => {
  const all = Array.from({ length: 10_500 }, (_, at) => todo(`${at}`, at));
  let asked = 0;
  const ask = async ({ limit, cursor = "0" }: { limit: number; cursor?: string }) => {
    asked++;
    const from = Number(cursor);
    const data = all.slice(from, from + limit);
    return { data, nextCursor: from + limit < all.length ? String(from + limit) : null };
  };
  const first = await todoPages(10_000, ask);
  assert.deepEqual([first.todos, first.more, asked], [all.slice(0, 10_000), true, 10]);
  const some = await todoPages(50, ask);
  assert.deepEqual([some.todos.length, some.more, asked], [50, true, 11]);
  const whole = await todoPages(10_500, ask);
  assert.deepEqual([whole.todos.length, whole.more], [10_500, false]);
});
