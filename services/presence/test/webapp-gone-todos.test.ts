import assert from "node:assert/strict";
import { test } from "node:test";
import type { BoardEvent } from "../webapp/src/board-events.ts";
import type { Todo } from "../webapp/src/shapes.ts";
import { createGoneTodos } from "../webapp/src/todos/gone-todos.ts";

const todo = (id: string, memberId = "ada") => ({ id, memberId }) as Todo;
const told = (kind: string, data: object) => ({ kind, id: 1, data }) as unknown as BoardEvent;

test("a TODO that is gone, or whose member has left, is not brought back by an answer that comes late", () => {
  const gone = createGoneTodos();
  gone.hear(told("todo", todo("a")));
  assert.equal(gone.has(todo("a")), false);
  gone.hear(told("todo-gone", { id: "a" }));
  gone.hear(told("left", { id: "ben" }));
  gone.add("c");
  assert.deepEqual(
    [todo("a"), todo("b"), todo("b", "ben"), todo("c")].map((each) => gone.has(each)),
    [true, false, true, true],
  );
  gone.hear(told("todo", todo("a")));
  assert.equal(gone.has(todo("a")), false, "back in sight, as the stream tells");
});

test("of many that are gone the last ones are remembered", () => {
  const gone = createGoneTodos();
  for (let id = 0; id < 5_000; id++) gone.add(String(id));
  assert.equal(gone.has(todo("4999")), true);
  assert.equal(gone.has(todo("0")), false);
});
