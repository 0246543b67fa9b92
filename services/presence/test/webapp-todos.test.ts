import assert from "node:assert/strict";
import { test } from "node:test";
import { ULID_PATTERN } from "../src/domain/ulid-pattern.ts";
import { changedFields } from "../webapp/src/changed-fields.ts";
import type { Project } from "../webapp/src/shapes.ts";
import { type Added, addLines, type Line, linesOf, MAX_TEXT } from "../webapp/src/todos/adding.ts";
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

const linesIn = ({ left }: Added): Line[] => left.map(({ line }) => line);

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
  assert.equal(first.count, 100);
  assert.ok(first.left.every(({ failure }) => String(failure) === "Error: away"));
  assert.deepEqual(linesIn(first), lines.slice(100));
  isAway = false;
  const second = await addLines(linesIn(first), parse, send);
  isAway = false;
  const third = await addLines(linesIn(second), parse, send);
  assert.deepEqual([second.count, third.count, third.left], [100, 50, []]);
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
  assert.deepEqual(added, { count: 2, left: [{ line: long, failure: undefined }] });
  assert.deepEqual(stored, ["one", emoji.text]);
});

test("where the server refuses what lines say, only those stay that it refuses by themselves, each with its reason", async () => {
  const refusal = (detail: string, status = 422, code = "invalid") =>
    Object.assign(new Error(detail), { status, code });
  const lines = linesOf(["one", "gone", "two", "empty", "three"]);
  const requests: string[] = [];
  const sendTo = (refuses: (text: string) => Error | undefined) => async (items: NewTodo[]) => {
    requests.push(items.map(({ text }) => text).join());
    for (const { text } of items) {
      const refused = refuses(text);
      if (refused) throw refused;
    }
  };
  const parse = async () => (text: string) => ({ text, projectId: null });
  const reasons = new Map([
    ["gone", refusal("no such project")],
    ["empty", refusal("nothing to be seen")],
  ]);
  const added = await addLines(
    lines,
    parse,
    sendTo((text) => reasons.get(text)),
  );
  assert.deepEqual(
    [added.count, ...added.left.map(({ line, failure }) => `${line.text}: ${(failure as Error).message}`)],
    [3, "gone: no such project", "empty: nothing to be seen"],
  );
  assert.deepEqual(requests, ["one,gone,two,empty,three", "one", "gone", "two", "empty", "three"]);
  for (const other of [refusal("too many", 409), refusal("proxy", 422, "http_422")]) {
    requests.length = 0;
    const refused = await addLines(
      lines,
      parse,
      sendTo(() => other),
    );
    assert.deepEqual([refused.count, linesIn(refused), requests.length], [0, lines, 1]);
  }
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
  assert.deepEqual(away, { count: 0, left: [{ line: lines[0], failure: new Error("away") }] });
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
