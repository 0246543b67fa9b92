import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryObserver } from "@tanstack/react-query";
import { ApiError } from "../src/api-client.ts";
import { askAnew, putLive } from "../src/put-live.ts";
import { createQueryClient } from "../src/query-client.ts";

test("a change that is told while the first answer is on its way is not lost", async (t) => {
  const queries = createQueryClient();
  const answers: Array<(state: string) => void> = [];
  const job = new QueryObserver(queries, {
    queryKey: ["job"],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const seen: unknown[] = [];
  t.after(job.subscribe(({ data, error }) => seen.push(error ?? data)));
  assert.equal(answers.length, 1);

  const asked = queries.invalidateQueries({ queryKey: ["job"] });
  answers[0]?.("Printing");
  await new Promise(setImmediate);
  assert.equal(answers.length, 2, "it is asked for again");
  answers[1]?.("Done");
  await asked;
  assert.equal(job.getCurrentResult().data, "Done");
  assert.ok(
    seen.every((shown) => shown === undefined || shown === "Done"),
    "neither the outdated answer nor an error is shown",
  );
});

test("what is told live is not overwritten by an answer that was made before", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = createQueryClient();
  const answers: Array<(state: string) => void> = [];
  const job = new QueryObserver(queries, {
    queryKey: ["job"],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  t.after(job.subscribe(() => {}));
  const settled = async () => {
    await new Promise(setImmediate);
    t.mock.timers.tick(300);
    await new Promise(setImmediate);
  };

  putLive<string>(queries, ["job"], () => "Done");
  putLive<string>(queries, ["job"], () => "Done");
  answers[0]?.("Printing");
  await settled();
  assert.equal(answers.length, 2, "the first answer is asked for once more");
  answers[1]?.("Done");
  await settled();
  assert.equal(job.getCurrentResult().data, "Done");

  void queries.invalidateQueries({ queryKey: ["job"] });
  await new Promise(setImmediate);
  putLive<string>(queries, ["job"], () => "Voided");
  assert.equal(job.getCurrentResult().data, "Voided", "it is shown at once");
  answers[2]?.("Done");
  await settled();
  answers[3]?.("Voided");
  await settled();
  assert.equal(job.getCurrentResult().data, "Voided");
  assert.equal(answers.length, 4, "and then it is quiet");
});

test("an answer that could not be read again does not pass for a fresh one by what is told live", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = createQueryClient();
  let stored: readonly string[] = ["first"];
  let asked = 0;
  let fails = false;
  const events = new QueryObserver(queries, {
    queryKey: ["events"],
    queryFn: async () => {
      asked++;
      if (fails) throw new ApiError({ status: 500, code: "internal", message: "" });
      return stored;
    },
  });
  t.after(events.subscribe(() => {}));
  const pass = async (milliseconds: number) => {
    await new Promise(setImmediate);
    t.mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
  };
  const tell = (event: string) => {
    stored = [event, ...stored];
    putLive<readonly string[]>(queries, ["events"], (before) => [event, ...before]);
  };
  const shown = () => [events.getCurrentResult().data, events.getCurrentResult().isError];
  await pass(0);

  stored = ["missed", ...stored];
  fails = true;
  void queries.invalidateQueries({ queryKey: ["events"] });
  await pass(0);
  tell("while it is asked for again");
  assert.deepEqual(shown(), [["first"], false], "there is a gap, above which nothing is placed");
  await pass(1_000);
  await pass(2_000);
  assert.deepEqual(shown(), [["first"], true]);
  const before = asked;
  for (let change = 0; change < 10; change++) tell(`later ${change}`);
  assert.deepEqual(shown(), [["first"], true], "it is still what could not be read again");
  await pass(2_000);
  assert.equal(asked, before + 1, "it is asked for by itself, and not for each change");
  fails = false;
  await pass(1_000);
  assert.deepEqual(shown(), [stored, false], "nothing is left out");
});

test("an answer that nobody looks at and that is to be asked for anew is not made fresh by what is told live", async () => {
  const queries = createQueryClient();
  queries.setQueryData(["events"], ["first"]);
  await queries.invalidateQueries({ queryKey: ["events"] });
  putLive<readonly string[]>(queries, ["events"], (before) => ["later", ...before]);
  assert.deepEqual(queries.getQueryData(["events"]), ["first"]);
  assert.equal(queries.getQueryState(["events"])?.isInvalidated, true);
});

test("where changes come more quickly than answers, answers come all the same, and the last change is asked for", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = createQueryClient();
  const answers: Array<(count: number) => void> = [];
  const printers = new QueryObserver(queries, {
    queryKey: ["printers"],
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
  });
  t.after(printers.subscribe(() => {}));
  for (let change = 0; change < 10; change++) askAnew(queries, { queryKey: ["printers"] });
  assert.equal(answers.length, 1, "the first answer is waited for");
  answers[0]?.(1);
  await new Promise(setImmediate);
  assert.equal(printers.getCurrentResult().data, 1);
  t.mock.timers.tick(300);
  await new Promise(setImmediate);
  assert.equal(answers.length, 2, "what changed since is asked for once");
  answers[1]?.(2);
  await new Promise(setImmediate);
  askAnew(queries, { queryKey: ["printers"] });
  await new Promise(setImmediate);
  assert.equal(answers.length, 3, "nothing is on its way: asked at once");
});

test("what is asked for in the pause after an answer is not cut off at the end of the pause", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = createQueryClient();
  const answers: Array<(count: number) => void> = [];
  const printers = new QueryObserver(queries, {
    queryKey: ["printers"],
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
  });
  t.after(printers.subscribe(() => {}));
  const pass = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
  };
  const change = () => askAnew(queries, { queryKey: ["printers"] });
  change();
  answers[0]?.(1);
  await pass(0);
  change();
  await pass(0);
  await pass(300);
  assert.equal(answers.length, 2, "asked for at once, and not once more while that is on its way");
  answers[1]?.(2);
  await pass(0);
  assert.equal(printers.getCurrentResult().data, 2);
});

test("a page that was refused for asking too often asks again when it may, unless that is long", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = createQueryClient();
  const asked = (retryAfterSeconds: number) => {
    let times = 0;
    const refusal = new ApiError({ status: 429, code: "rate_limited", message: "", retryAfterSeconds });
    const query = new QueryObserver(queries, {
      queryKey: [retryAfterSeconds],
      queryFn: () => (++times === 1 ? Promise.reject(refusal) : Promise.resolve("here")),
    });
    t.after(query.subscribe(() => {}));
    return { times: () => times, data: () => query.getCurrentResult().data };
  };
  const [soon, late] = [asked(2), asked(3_600)];
  const pass = async (ms: number) => {
    await new Promise(setImmediate);
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  await pass(1_999);
  assert.equal(soon.times(), 1);
  await pass(1);
  assert.deepEqual([soon.times(), soon.data()], [2, "here"]);
  await pass(3_600_000);
  assert.equal(late.times(), 1, "the person is told, and decides");
});
