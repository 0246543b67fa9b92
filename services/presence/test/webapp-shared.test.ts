import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shared } from "../webapp/src/shapes.ts";
import { isOfStranger, type SharedEvent, sharedAfter } from "../webapp/src/shared-events.ts";

const shared = {
  sequence: 10,
  revision: "1",
  members: [{ id: "a", name: "Ada" }],
  todos: [],
} as unknown as Shared;
const todo = (id: number, member: string | null) =>
  ({ kind: "todo", id, data: { id: `todo ${id}`, member } }) as unknown as SharedEvent;

test("a TODO of somebody whom a project's page does not name makes it ask who that is", () => {
  assert.equal(isOfStranger(shared, todo(11, "a")), false);
  assert.equal(isOfStranger(shared, todo(11, null)), false);
  assert.equal(isOfStranger(shared, todo(11, "b")), true);
  const after = sharedAfter(shared, todo(11, "b"));
  assert.deepEqual([after.todos.length, after.sequence], [1, 11], "it is shown at once");
});

test("people are in the order of their names, also after somebody has come or was renamed", () => {
  const person = (id: string, name: string) => ({ id, name }) as Shared["members"][number];
  const namesIn = ({ members }: Shared) => members.map(({ name }) => name).join(" ");
  const came = { kind: "member", id: 11, data: person("b", "aaron") } as unknown as SharedEvent;
  const after = sharedAfter(shared, came);
  assert.equal(namesIn(after), "aaron Ada");
  const renamed = {
    kind: "revised",
    id: undefined,
    data: { before: "1", revision: "2", member: person("b", "Zoe") },
  } as unknown as SharedEvent;
  assert.equal(namesIn(sharedAfter(after, renamed)), "Ada Zoe");
  const ofAnother = { ...after, revision: "7" };
  assert.equal(sharedAfter(ofAnother, renamed), ofAnother);
});
