import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asRows,
  findPeople,
  grouped,
  headCounts,
  knownFilter,
  searchable,
} from "../webapp/src/board/find-people.ts";
import { tiling } from "../webapp/src/board/tiling.ts";
import { boardAfter, boardAnswered } from "../webapp/src/board-events.ts";
import type { Board, Member } from "../webapp/src/shapes.ts";

const status = (key: string, note: string | null = null) =>
  ({ status: key, note, expiresAt: null, setAt: null, source: "app", setBy: null }) as const;
const member = (id: string, name: string, group: string | null = null, key = "office", note?: string) =>
  ({ id, name, group, status: status(key, note ?? null) }) as unknown as Member;
const statuses = [
  { key: "office", label: "Büro", kind: "in" },
  { key: "meeting", label: "In a meeting", kind: "away" },
  { key: "vacation", label: "Vacation", kind: "out" },
] as unknown as Board["statuses"];
const board = (members: Member[], sequence = 10) =>
  ({ sequence, members, statuses, me: { id: "nobody" } }) as unknown as Board;

test("an event changes the board once, however often it is told", () => {
  const before = board([member("a", "Ada"), member("b", "Ben")]);
  const event = {
    kind: "status",
    id: 11,
    data: { memberId: "b", status: status("meeting"), previous: "office" },
  } as const;
  const after = boardAfter(before, event);
  assert.deepEqual(
    after.members.map((each) => each.status.status),
    ["office", "meeting"],
  );
  assert.equal(after.sequence, 11);
  assert.equal(boardAfter(after, event), after);
  const older = { kind: "left", id: 9, data: { id: "a" } } as const;
  assert.equal(boardAfter(after, older), after);
});

test("a profile is put into a board of the revision before it, and into no other", () => {
  const of = (revision: string) => ({ ...board([member("a", "Ada"), member("b", "Ben")]), revision });
  const told = {
    kind: "revised",
    id: undefined,
    data: { before: "1", revision: "2", member: member("b", "Benjamin") },
  } as const;
  const after = boardAfter(of("1"), told);
  assert.deepEqual(
    [after.revision, after.sequence, after.members.map(({ name }) => name)],
    ["2", 10, ["Ada", "Benjamin"]],
  );
  for (const revision of ["0", "2"]) {
    const other = of(revision);
    assert.equal(boardAfter(other, told), other);
  }
  const nothing = boardAfter(of("1"), { ...told, data: { ...told.data, member: null } });
  assert.deepEqual([nothing.revision, nothing.members], ["2", of("1").members]);
});

test("my role follows my profile, and what others set of mine cannot be taken back before the server has said so", () => {
  const me = { id: "b", role: "member", follows: [], undo: "u" } as const;
  const of = (members: Member[]) => ({ ...board(members), revision: "1", me }) as unknown as Board;
  const before = of([member("a", "Ada"), { ...member("b", "Ben"), role: "member" }]);
  const profile = { ...member("b", "Ben"), role: "reception" } as Member;
  const promoted = boardAfter(before, {
    kind: "revised",
    id: undefined,
    data: { before: "1", revision: "2", member: profile },
  });
  assert.deepEqual([promoted.me.role, promoted.me.undo], ["reception", "u"]);
  assert.equal(boardAfter(before, { kind: "member", id: 11, data: profile }).me.role, "reception");
  const told = (memberId: string, key: string) =>
    ({ kind: "status", id: 11, data: { memberId, status: status(key), previous: "office" } }) as const;
  assert.equal(boardAfter(before, told("b", "meeting")).me.undo, null);
  assert.equal(boardAfter(before, told("b", "office")).me.undo, "u", "as it is shown already");
  assert.equal(boardAfter(before, told("a", "meeting")).me.undo, "u");
});

test("people come, change and go", () => {
  let now = board([member("a", "Ada")]);
  now = boardAfter(now, { kind: "member", id: 11, data: member("b", "Ben") });
  now = boardAfter(now, { kind: "member", id: 12, data: member("a", "Ada Lovelace") });
  assert.deepEqual(
    now.members.map(({ name }) => name),
    ["Ada Lovelace", "Ben"],
  );
  now = boardAfter(now, { kind: "left", id: 13, data: { id: "a" } });
  assert.deepEqual(
    now.members.map(({ name }) => name),
    ["Ben"],
  );
});

test("people are found by name, group, status and note, with or without accents", () => {
  const people = searchable(
    [
      member("a", "Renée", "Sales"),
      member("b", "Ben", "Engineering", "meeting", "Room 4"),
      member("c", "Zoë", "Sales", "vacation"),
    ],
    statuses,
  );
  const found = (q: string, more = {}) =>
    findPeople(people, { q, kind: "", group: "", status: "", ...more }).map((each) => each.member.name);
  assert.deepEqual(found(""), ["Ben", "Renée", "Zoë"]);
  assert.deepEqual(found("renee"), ["Renée"]);
  assert.deepEqual(found("buro"), ["Renée"]);
  assert.deepEqual(found("room sALES"), []);
  assert.deepEqual(found("sales zoe"), ["Zoë"]);
  assert.deepEqual(found("4"), ["Ben"]);
  assert.deepEqual(found("", { kind: "out" }), ["Zoë"]);
  assert.deepEqual(found("", { group: "Sales", status: "office" }), ["Renée"]);
  assert.deepEqual(headCounts(people), { in: 1, away: 1, out: 1 });
});

test("a group that was renamed and a status that was removed hide nobody", () => {
  const filter = { q: "a", kind: "in", group: "Sales", status: "vacation" };
  const shown = board([member("a", "Ada", "Sales")]);
  assert.deepEqual(knownFilter(filter, shown), filter);
  assert.deepEqual(knownFilter({ ...filter, group: "Marketing", status: "on-tour" }, shown), {
    ...filter,
    group: "",
    status: "",
  });
});

test("groups are in their order, people without one last", () => {
  const people = searchable(
    [member("a", "Ada"), member("b", "Ben", "Sales"), member("c", "Cy", "IT")],
    statuses,
  );
  assert.deepEqual(
    grouped(people).map((row) => (row.kind === "group" ? row.name : row.member.name)),
    ["IT", "Cy", "Sales", "Ben", null, "Ada"],
  );
  assert.equal(asRows(people).length, 3);
});

test("sixty people fill a wall, and one is not alone on it", () => {
  assert.deepEqual(tiling(60), { columns: 6, rows: 10 });
  assert.deepEqual(tiling(1), { columns: 2, rows: 4 });
  for (let people = 1; people <= 160; people++) {
    const { columns, rows } = tiling(people);
    assert.ok(columns * rows >= people, `${people}`);
  }
});

test("an answer that comes after the stream has told something newer of the member changes nothing", () => {
  const asked = board([member("a", "Ada"), member("b", "Ben")]);
  const [, askedBen] = asked.members;
  const answer = { member: member("b", "Ben", null, "meeting"), undo: "u", afterwards: null };
  const statusIn = (shown: Board) => shown.members.map((each) => each.status.status).join(" ");
  const tell = (before: Board, id: number, key: string) =>
    boardAfter(before, {
      kind: "status",
      id,
      data: { memberId: "b", status: status(key), previous: "" },
    });

  assert.equal(
    statusIn(boardAnswered(asked, askedBen, answer, true)),
    "office meeting",
    "ahead of the stream",
  );
  const own = tell(asked, 11, "meeting");
  assert.equal(statusIn(boardAnswered(own, askedBen, answer, true)), "office meeting");
  assert.equal(boardAnswered(own, askedBen, answer, true).me.undo, "u");
  assert.equal(boardAnswered(own, askedBen, answer, false).me.undo, undefined, "of somebody else");
  const newer = tell(own, 12, "vacation");
  assert.equal(boardAnswered(newer, askedBen, answer, true), newer);
});
