import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";

const GET_JOBS = 0x000a;
const STATE = { pending: 3, completed: 9 } as const;

/** A print server with jobs 1 and 2 pending and 3 completed; tells what each question was for. */
async function printServer(t: TestContext, list: { code?: number; withState?: boolean } = {}) {
  const { code = 0, withState = true } = list;
  const questions: string[] = [];
  const job = (id: number, state: keyof typeof STATE, isStateTold = true) => ({
    tag: GROUP.job,
    attributes: {
      "job-id": [{ tag: "integer" as const, value: id }],
      ...(isStateTold ? { "job-state": [{ tag: "enum" as const, value: STATE[state] }] } : {}),
    },
  });
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const asked = decodeIpp(Buffer.concat(pieces));
    const isList = asked.code === GET_JOBS;
    const id = Number(asked.groups[0]?.attributes["job-id"]?.[0]?.value);
    questions.push(isList ? "all" : String(id));
    const groups = isList
      ? [job(1, "pending", withState), job(2, "pending", withState)]
      : [job(id, id === 3 ? "completed" : "pending")];
    outgoing.end(encodeIpp({ code: isList ? code : 0, requestId: asked.requestId, groups }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const uri = `ipp://127.0.0.1:${(server.address() as { port: number }).port}/ipp/print`;
  const spooler = createIppSpooler({ uri, connectMs: 10_000, readMs: 10_000 });
  return { questions, spooler };
}

test("jobs that have not ended are asked after by one question, and those that have by one each", async (t) => {
  const { spooler, questions } = await printServer(t);
  const told = await spooler.jobs(["1", "2", "3"]);
  assert.deepEqual(questions, ["all", "3"]);
  assert.deepEqual(
    ["1", "2", "3"].map((name) => told.get(name)?.state),
    ["waiting", "waiting", "done"],
  );
});

for (const [what, list] of [
  ["does not know the question for all jobs", { code: 0x0501 }],
  ["does not allow the question for all jobs", { code: 0x0403 }],
  ["lists its jobs without their state", { withState: false }],
] as const) {
  test(`a print server that ${what} is asked after each`, async (t) => {
    const { spooler, questions } = await printServer(t, list);
    const told = await spooler.jobs(["1", "3"]);
    assert.deepEqual(questions, ["all", "1", "3"]);
    assert.deepEqual([told.get("1")?.state, told.get("3")?.state], ["waiting", "done"]);
  });
}
