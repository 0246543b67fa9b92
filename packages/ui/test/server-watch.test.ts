import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Connection } from "../src/connection.ts";
import {
  ATTEMPTS_PER_ASKING,
  firstAnswers,
  MAX_ANSWER_MS,
  MAX_WAIT_MS,
  MIN_ASK_AGAIN_MS,
  RETRY_MS,
  watchServer,
} from "../src/server-watch.ts";

function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ["Date", "setInterval", "setTimeout"] });
  t.mock.method(performance, "now", () => Date.now());
  const server = { isThere: false, asked: 0 };
  const connection = new Connection();
  let askings = 0;
  watchServer({
    connection,
    askAgain: () => askings++,
    isThere: async () => {
      server.asked++;
      return server.isThere;
    },
  });
  const pass = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    // What was asked at that moment is answered.
    await new Promise(setImmediate);
    t.mock.timers.tick(0);
  };
  return { connection, server, pass, askings: () => askings };
}

test("a server that is away is tried until it is back; then all that is shown is asked for once", async (t) => {
  const { connection, server, pass, askings } = watched(t);
  await pass(RETRY_MS);
  assert.equal(server.asked, 0, "nobody asks while all is well");
  connection.lost();
  await pass(RETRY_MS);
  await pass(RETRY_MS);
  assert.deepEqual([server.asked, askings()], [2, 0]);
  server.isThere = true;
  await pass(RETRY_MS);
  assert.equal(connection.lostAt(), undefined);
  assert.deepEqual([server.asked, askings()], [3, 1]);
  await pass(10 * RETRY_MS);
  assert.deepEqual([server.asked, askings()], [3, 1]);
});

test("what failed is asked for also where another request noticed first that the server is back", async (t) => {
  const { connection, pass, askings } = watched(t);
  connection.lost();
  connection.answered();
  await pass(0);
  assert.equal(askings(), 1);
});

test("where some requests fail and others do not, everything is asked for now and then, and not in a circle", async (t) => {
  const { connection, pass, askings } = watched(t);
  for (let i = 0; i < 50; i++) {
    connection.lost();
    connection.answered();
    await pass(1);
  }
  assert.equal(askings(), 1);
  await pass(MIN_ASK_AGAIN_MS);
  assert.equal(askings(), 2);
});

test("a line that breaks while the server answers asks for what it missed by itself; one that stays lost is stood in for", async (t) => {
  const { connection, server, pass, askings } = watched(t);
  server.isThere = true;
  const line = connection.line();
  line.lost();
  await pass(RETRY_MS);
  assert.notEqual(connection.lostAt(), undefined);
  line.opened();
  await pass(RETRY_MS);
  assert.equal(askings(), 0);
  line.lost();
  for (let i = 0; i < 2 * ATTEMPTS_PER_ASKING; i++) await pass(RETRY_MS);
  assert.equal(askings(), 2);
});

test("a server that goes away while the line is lost is noticed, and what failed is asked for when it is back", async (t) => {
  const { connection, server, pass, askings } = watched(t);
  connection.line().lost();
  await pass(RETRY_MS);
  assert.equal(connection.isUnanswered(), true);
  server.isThere = true;
  await pass(RETRY_MS);
  assert.deepEqual([connection.isUnanswered(), askings()], [false, 1]);
});

test("a first page does not wait for ever; where no answer comes at all, the server is away until it is back", async (t) => {
  const { connection, server, pass, askings } = watched(t);
  let isDrawn = false;
  void firstAnswers(connection, [new Promise(() => {})]).then(() => {
    isDrawn = true;
  });
  await pass(MAX_WAIT_MS - 1);
  assert.equal(isDrawn, false);
  await pass(1);
  assert.deepEqual([isDrawn, connection.isUnanswered()], [true, false]);
  await pass(MAX_ANSWER_MS - MAX_WAIT_MS);
  assert.equal(connection.isUnanswered(), true);
  server.isThere = true;
  await pass(RETRY_MS);
  assert.deepEqual([connection.isUnanswered(), askings()], [false, 1]);
});

test("a first page is there when its answers are, and nothing is asked again", async (t) => {
  const { connection, pass, askings } = watched(t);
  await firstAnswers(connection, [Promise.resolve(), Promise.resolve()]);
  await pass(MAX_ANSWER_MS);
  assert.deepEqual([connection.lostAt(), askings()], [undefined, 0]);
});
