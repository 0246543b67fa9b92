import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields } from "../webapp/src/changed-fields.ts";
import type { Project } from "../webapp/src/shapes.ts";
import { hashOf, parseLines, parseTodo } from "../webapp/src/todos/parse-todos.ts";

const project = (id: string, name: string, archived = false) => ({ id, name, archived }) as Project;
const PROJECTS = [
  project("1", "Summer fair"),
  project("2", "Summer party"),
  project("3", "Umzug – Büro 2"),
  project("4", "Old", true),
];

test("a # names a project, whole or by a beginning that is no other's", () => {
  const cases: ReadonlyArray<[line: string, text: string, projectId: string | null]> = [
    ["Order chairs #summer-fair", "Order chairs", "1"],
    ["#umzug Order chairs", "Order chairs", "3"],
    ["Order #UMZUG-büro-2 chairs", "Order chairs", "3"],
    ["Order chairs #summer", "Order chairs #summer", null],
    ["Order chairs #old", "Order chairs #old", null],
    ["Fix C# and issue#12", "Fix C# and issue#12", null],
    ["#umzug", "#umzug", "3"],
  ];
  for (const [line, text, projectId] of cases)
    assert.deepEqual(parseTodo(line, PROJECTS), { text, projectId }, line);
  assert.equal(hashOf("  Umzug – Büro 2 "), "umzug-büro-2");
});

test("pasted lines become one each, without the marks of the list they came from", () => {
  const pasted = "- one\r\n* two #summer-fair\n\n  3. three\n[x] four\n\n";
  assert.deepEqual(
    parseLines(pasted, PROJECTS).map(({ text }) => text),
    ["one", "two", "three", "four"],
  );
  assert.deepEqual(parseLines(" \n ", PROJECTS), []);
});

test("a form sends what was changed in it, and nothing where nothing was", () => {
  const shown = { name: "Acme", closingTime: null as string | null };
  assert.deepEqual(changedFields(shown, { name: "Acme & Co", closingTime: null }), { name: "Acme & Co" });
  assert.deepEqual(changedFields(shown, { name: "Acme", closingTime: "17:00" }), { closingTime: "17:00" });
  assert.equal(changedFields(shown, { ...shown }), undefined);
});
