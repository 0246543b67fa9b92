import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient } from "@tanstack/react-query";
import { boardAfter } from "../webapp/src/board-events.ts";
import { eachFrame } from "../webapp/src/each-frame.ts";
import type { Board } from "../webapp/src/shapes.ts";

function frames() {
  let drawing: (() => void) | undefined;
  return {
    next: (act: () => void) => {
      drawing = act;
      return () => {
        drawing = undefined;
      };
    },
    draw: () => drawing?.(),
    isWanted: () => drawing !== undefined,
  };
}

test("what comes between two frames is taken up once, in its order", () => {
  const { next, draw, isWanted } = frames();
  const taken: Array<readonly number[]> = [];
  const gathered = eachFrame<number>((all) => taken.push(all), next);
  for (let each = 0; each < 1_000; each++) gathered.add(each);
  assert.deepEqual(taken, []);
  draw();
  assert.deepEqual(taken, [Array.from({ length: 1_000 }, (_, at) => at)]);
  assert.equal(isWanted(), false);
  gathered.add(1);
  gathered.end();
  assert.deepEqual([taken.at(-1), isWanted()], [[1], false], "nothing is lost when the page goes");
  gathered.end();
  assert.equal(taken.length, 2);
});

test("everybody's status changes in one moment: the board is changed once", () => {
  const people = Array.from({ length: 500 }, (_, at) => ({ id: `${at}`, status: { status: "in" } }));
  const queries = new QueryClient();
  queries.setQueryData(["board"], { sequence: 0, revision: "1", members: people, me: { id: "0" } });
  let changes = 0;
  queries.getQueryCache().subscribe(({ type }) => {
    if (type === "updated") changes++;
  });
  const { next, draw } = frames();
  const gathered = eachFrame<Parameters<typeof boardAfter>[1]>((events) => {
    queries.setQueryData<Board>(["board"], (board) => board && events.reduce(boardAfter, board));
  }, next);
  for (const [at, { id }] of people.entries())
    gathered.add({
      kind: "status",
      id: at + 1,
      data: { memberId: id, status: { status: "out" }, previous: "in" },
    } as unknown as Parameters<typeof boardAfter>[1]);
  draw();
  const board = queries.getQueryData<Board>(["board"]);
  assert.deepEqual([changes, board?.sequence], [1, 500]);
  assert.ok(board?.members.every(({ status }) => status.status === "out"));
});
