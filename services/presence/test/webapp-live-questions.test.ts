import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryClient, type QueryKey, QueryObserver } from "@tanstack/react-query";
import { askSoon, createLiveQuestions } from "../webapp/src/live-questions.ts";

/** A page that shows what a slow server answers. */
function shown(queries: QueryClient, queryKey: QueryKey) {
  const answers: Array<(answer: number) => void> = [];
  const observer = new QueryObserver(queries, {
    queryKey,
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
  });
  return {
    close: observer.subscribe(() => {}),
    asked: () => answers.length,
    answer: async (answer: number) => {
      answers.at(-1)?.(answer);
      await new Promise(setImmediate);
    },
    data: () => observer.getCurrentResult().data,
  };
}

test("where changes come more quickly than answers, the page gets its answers all the same", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = new QueryClient();
  const ask = createLiveQuestions(queries, "acme");
  t.after(ask.stop);
  const live = [
    ["projects", ask.projects],
    ["board", ask.all],
    ["planned", ask.planned],
    ["shared", askSoon(queries, { queryKey: ["shared"] })],
  ] as const;
  for (const [name, question] of live) {
    const page = shown(queries, name === "shared" ? [name] : [name, "acme"]);
    t.after(page.close);
    const changeOften = async () => {
      for (let change = 0; change < 20; change++) {
        question.soon();
        t.mock.timers.tick(500);
        await new Promise(setImmediate);
      }
    };
    await changeOften();
    assert.equal(page.asked(), 1, `${name}: the first answer is waited for`);
    await page.answer(1);
    assert.equal(page.data(), 1);
    await changeOften();
    assert.equal(page.asked(), 2, `${name}: what has changed since is asked for, once`);
    await page.answer(2);
    assert.equal(page.data(), 2);
  }
});

test("after a change that every open page hears of they do not all ask at once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const askedAfter = (question: "all" | "projects" | "undo", chance: number) => {
    t.mock.method(Math, "random", () => chance);
    const queries = new QueryClient();
    queries.setQueryData(["board", "acme"], { me: { undo: null } });
    queries.setQueryData(["projects", "acme"], []);
    const ask = createLiveQuestions(queries, "acme");
    ask[question].soon();
    const isAsked = () =>
      [
        ["board", "acme"],
        ["projects", "acme"],
      ].some((key) => queries.getQueryState(key)?.isInvalidated);
    let waited = 0;
    for (; !isAsked() && waited < 10_000; waited += 100) t.mock.timers.tick(100);
    ask.stop();
    return waited;
  };
  for (const question of ["all", "projects", "undo"] as const)
    assert.ok(askedAfter(question, 0.9) - askedAfter(question, 0.1) >= 1_000, question);
});

test("what can be taken back is asked for only where nobody has said so meanwhile", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const queries = new QueryClient();
  const ask = createLiveQuestions(queries, "acme");
  t.after(ask.stop);
  const isAskedFor = async (undo: string | null) => {
    const key = ["board", "acme"];
    queries.setQueryData(key, { me: { undo } });
    ask.undo.soon();
    t.mock.timers.tick(5_000);
    await new Promise(setImmediate);
    return queries.getQueryState(key)?.isInvalidated;
  };
  assert.equal(await isAskedFor("01JGFJJZ00000000000000000Z"), false);
  assert.equal(await isAskedFor(null), true);
});
