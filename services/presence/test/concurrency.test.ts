import assert from "node:assert/strict";
import { test } from "node:test";
import { ANNA, callApi, deskUnderTest, ENGINES, openPresence } from "./desk-under-test.ts";

for (const { engine, database } of ENGINES) {
  test(`${engine}: of a hundred updates by twenty callers at once none is lost`, async (t) => {
    const policy = { max: 1_000_000, windowMs: 60_000 };
    const desk = await deskUnderTest(t, database, { policy });
    const copies = [desk, await openPresence(t, desk.databaseUrl, desk.clock, { policy })];
    const tokens = await Promise.all(
      ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map((name) => desk.token(name)),
    );
    const { body: todo } = await desk.call(tokens[0] as string, "POST", `members/${ANNA}/todos`, {
      text: ".",
    });
    // Each adds its own word to whatever it read, and tries again when somebody was faster.
    const patch = async (i: number) => {
      const token = tokens[i % 10] as string;
      const copy = copies[i % 2] as typeof desk;
      let { body, headers } = await callApi(copy, token, "GET", `todos/${todo.id}`);
      for (;;) {
        const text = `${body.text} ${i}`;
        const condition = { "if-match": headers.etag };
        const reply = await callApi(copy, token, "PATCH", `todos/${todo.id}`, { text }, condition);
        if (reply.status === 200) return;
        assert.equal(reply.status, 412);
        ({ headers } = reply);
        body = reply.body.current;
      }
    };
    // With all hundred at once, nearly every request would be a refusal.
    const caller = async (first: number) => {
      for (let i = first; i < 100; i += 20) await patch(i);
    };
    await Promise.all(Array.from({ length: 20 }, (_, first) => caller(first)));
    const { body } = await desk.call(tokens[0] as string, "GET", `todos/${todo.id}`);
    const words = body.text.split(" ").slice(1).map(Number);
    assert.deepEqual(
      words.toSorted((a: number, b: number) => a - b),
      Array.from({ length: 100 }, (_, i) => i),
    );
    assert.equal(body.version, 101);
    assert.equal((await desk.events()).filter(({ type }) => type === "todo.updated").length, 100);
  });

  test(`${engine}: a hundred concurrent identical creations make one TODO and one event`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const copies = [desk, await openPresence(t, desk.databaseUrl, desk.clock)];
    const token = await desk.token();
    const request = { text: "Once", externalSystem: "jira", externalRef: "OPS-1" };
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        callApi(copies[i % 2] as typeof desk, token, "POST", `members/${ANNA}/todos`, request),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    assert.equal(replies.filter(({ status }) => status === 200).length, 99);
    assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1);
    assert.equal((await desk.events()).filter(({ type }) => type === "todo.created").length, 1);
    assert.equal((await desk.call(token, "GET", `members/${ANNA}/todos`)).body.data.length, 1);
  });
}
