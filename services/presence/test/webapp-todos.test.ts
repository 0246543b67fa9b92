import assert from "node:assert/strict";
import { test } from "node:test";
import { ULID_PATTERN } from "../src/domain/ulid-pattern.ts";
import { changedFields } from "../webapp/src/changed-fields.ts";
import type { Project } from "../webapp/src/shapes.ts";
import { addLines, type Line, linesOf, MAX_TEXT } from "../webapp/src/todos/adding.ts";
import {
  hashOf,
  type NewTodo,
  parseTodo,
  pastedLines,
  sharedNameIn,
} from "../webapp/src/todos/parse-todos.ts";

const project = (id: string, name: string, archived = false) => ({ id, name, archived }) as Project;
const PROJECTS = [
  project("1", "Summer fair"),
  project("2", "Summer party"),
  project("3", "Umzug – Büro 2"),
  project("4", "Old", true),
  project("5", "🎉"),
  project("6", "👩‍💻"),
  project("7", "दिवाली 2026"),
  project("8", "Twice"),
  project("9", "twice"),
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
    ["Fix #12 for #summer-fair", "Fix #12 for", "1"],
    ["Cake #🎉", "Cake", "5"],
    ["Wiring #👩‍💻", "Wiring", "6"],
    ["Sweets #दिवाली", "Sweets", "7"],
    ["Tidy #twice", "Tidy #twice", null],
    ["Tidy #twice #summer-fair", "Tidy #twice", "1"],
  ];
  for (const [line, text, projectId] of cases)
    assert.deepEqual(parseTodo(line, PROJECTS), { text, projectId }, line);
  assert.equal(hashOf("  Umzug – Büro 2 "), "umzug-büro-2");
  assert.equal(hashOf(" 🎉 🎈 "), "🎉-🎈");
});

test("a name that several projects have is told, for it puts a TODO into none of them", () => {
  assert.equal(sharedNameIn("Tidy #twice", PROJECTS), "Twice");
  assert.equal(sharedNameIn("Tidy #summer", PROJECTS), undefined, "half a name is still being typed");
  assert.equal(sharedNameIn("Tidy #umzug", PROJECTS), undefined);
});

test("pasted lines become one each, without the marks of the list they came from", () => {
  const pasted = "- one\r\n* two #summer-fair\n\n  3. three\n[x] four\n- [ ] five\n+ six\n1) [x] seven\n\n";
  const lines = ["one", "two #summer-fair", "three", "four", "five", "six", "seven"];
  assert.deepEqual(pastedLines(pasted), lines);
  assert.deepEqual(pastedLines(" \n "), []);
});

test("of lines that could not be added exactly those are left that the server did not answer for, as they were typed", async () => {
  const lines = linesOf(Array.from({ length: 250 }, (_, i) => `line ${i} #summer-fair`));
  const stored: Array<NewTodo & { id: string }> = [];
  const sent = new Set<string>();
  let isAway = false;
  const send = async (items: Array<NewTodo & { id: string }>) => {
    for (const { id } of items) sent.add(id);
    if (isAway) throw new Error("away");
    stored.push(...items);
    isAway = true;
  };
  const parse = async () => (line: string) => parseTodo(line, PROJECTS);
  const first = await addLines(lines, parse, send);
  assert.deepEqual([first.count, String(first.failure)], [100, "Error: away"]);
  assert.deepEqual(first.left, lines.slice(100));
  isAway = false;
  const second = await addLines(first.left, parse, send);
  isAway = false;
  const third = await addLines(second.left, parse, send);
  assert.deepEqual([second.count, third.count, third.left, third.failure], [100, 50, [], undefined]);
  assert.deepEqual(
    stored.map(({ text, projectId }) => `${text} ${projectId}`),
    lines.map((_, i) => `line ${i} 1`),
    "each once, and in the project that it names",
  );
  assert.deepEqual(
    [...sent],
    lines.map(({ id }) => id),
    "every attempt names a line in the same way",
  );
  assert.ok(lines.every(({ id }) => new RegExp(ULID_PATTERN).test(id)));
});

test("a line that is too long keeps no other from being added", async () => {
  const [one, long, emoji] = linesOf(["one", "x".repeat(MAX_TEXT + 1), "\u{1f9d1}".repeat(MAX_TEXT)]) as [
    Line,
    Line,
    Line,
  ];
  const stored: string[] = [];
  const added = await addLines(
    [one, long, emoji],
    async () => (line) => parseTodo(line, PROJECTS),
    async (items) => void stored.push(...items.map(({ text }) => text)),
  );
  assert.deepEqual([added.count, added.left, added.failure], [2, [long], undefined]);
  assert.deepEqual(stored, ["one", emoji.text]);
});

test("a line waits for the projects, one of which it may name; where they cannot be had it is left", async () => {
  const lines = linesOf(["Order chairs #summer-fair"]);
  const stored: Array<string | null> = [];
  const send = async (items: NewTodo[]) => void stored.push(...items.map(({ projectId }) => projectId));
  const projects = Promise.withResolvers<readonly Project[]>();
  const adding = addLines(
    lines,
    async () => {
      const known = await projects.promise;
      return (line) => parseTodo(line, known);
    },
    send,
  );
  assert.deepEqual(stored, []);
  projects.resolve(PROJECTS);
  assert.deepEqual([(await adding).count, stored], [1, ["1"]]);
  const away = await addLines(lines, () => Promise.reject(new Error("away")), send);
  assert.deepEqual([away.count, away.left, String(away.failure)], [0, lines, "Error: away"]);
  assert.equal(stored.length, 1);
});

test("a form sends what was changed in it, and nothing where nothing was", () => {
  const shown = { name: "Acme", closingTime: null as string | null };
  assert.deepEqual(changedFields(shown, { name: "Acme & Co", closingTime: null }), { name: "Acme & Co" });
  assert.deepEqual(changedFields(shown, { name: "Acme", closingTime: "17:00" }), { closingTime: "17:00" });
  assert.equal(changedFields(shown, { ...shown }), undefined);
  const ticked = { url: "https://a.example", events: ["todo.created", "todo.deleted"] };
  const inAnotherOrder = { url: "https://b.example", events: ["todo.deleted", "todo.created"] };
  assert.deepEqual(changedFields(ticked, inAnotherOrder), { url: "https://b.example" });
  assert.deepEqual(changedFields(ticked, { ...ticked, events: ["todo.created"] }), {
    events: ["todo.created"],
  });
});
