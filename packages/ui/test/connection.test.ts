import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../src/connection.ts";

const AT = Date.parse("2026-03-10T14:02:00Z");

test("an answer to a request does not bring a lost line back, and the moment of the loss stays the first one", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: AT });
  const connection = new Connection();
  const line = connection.line();
  line.opened();
  assert.equal(connection.lostAt(), undefined);
  line.lost();
  t.mock.timers.tick(60_000);
  connection.answered();
  assert.equal(connection.lostAt(), AT);
  line.lost();
  connection.lost();
  connection.answered();
  assert.equal(connection.lostAt(), AT, "however often it is lost and something else is answered");
  line.opened();
  assert.equal(connection.lostAt(), undefined);
});

test("a line that was silent is lost as of when it was heard last", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: AT });
  const connection = new Connection();
  connection.line().lost(AT - 40_000);
  assert.equal(connection.lostAt(), AT - 40_000);
});

test("a request that fails before the line says since when nothing was heard does not make what is shown newer", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: AT });
  const connection = new Connection();
  const line = connection.line();
  connection.lost();
  line.lost(AT - 3 * 3_600_000);
  assert.equal(connection.lostAt(), AT - 3 * 3_600_000);
  t.mock.timers.tick(3_000);
  connection.lost();
  assert.equal(connection.lostAt(), AT - 3 * 3_600_000);
});

test("without a line, or with none that is lost, the last request decides", () => {
  const connection = new Connection();
  connection.lost();
  assert.notEqual(connection.lostAt(), undefined);
  connection.answered();
  assert.equal(connection.lostAt(), undefined);
  const line = connection.line();
  line.lost();
  line.ended();
  assert.equal(connection.lostAt(), undefined, "nothing that is shown depends on it any more");
  connection.lost();
  line.ended();
  assert.notEqual(connection.lostAt(), undefined);
});

test("what waits for the server goes on when it answers, though the line is not back", async () => {
  const connection = new Connection();
  connection.line().lost();
  await connection.untilAnswered();
  connection.lost();
  let isOver = false;
  const waiting = connection.untilAnswered().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  assert.equal(isOver, false);
  connection.answered();
  await waiting;
});

test("who listens is told of changes alone", () => {
  const connection = new Connection();
  let told = 0;
  connection.subscribe(() => told++);
  connection.answered();
  assert.equal(told, 0);
  connection.lost();
  connection.lost();
  assert.equal(told, 1);
  connection.answered();
  connection.answered();
  assert.equal(told, 2);
});

test("a line that the server has no room for is told apart from a server that is away", () => {
  const connection = new Connection();
  const line = connection.line();
  line.crowded();
  assert.equal(connection.isCrowded(), false, "it is not lost");
  line.lost(1_000);
  line.crowded();
  assert.equal(connection.isCrowded(), true);
  assert.equal(connection.lostAt(), 1_000);
  connection.lost();
  assert.equal(connection.isCrowded(), false, "the server is away");
  line.opened();
  assert.equal(connection.isCrowded(), false);
  assert.equal(connection.lostAt(), undefined);
});
