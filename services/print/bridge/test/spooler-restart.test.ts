import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { decodeIpp, encodeIpp, GROUP, type IppGroup } from "../src/transports/ipp-codec.ts";
import { admitted, bridge, LABEL, until } from "./support.ts";

const PRINT_JOB = 0x0002;
const GET_JOB = 0x0009;
const STATE = { held: 4, completed: 9 } as const;

/** A spooler that takes every job and says of each what a test wants. */
async function spooler(t: TestContext) {
  const states = new Map<number, keyof typeof STATE>();
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const message = decodeIpp(Buffer.concat(pieces));
    const asked = message.groups[0]?.attributes["job-id"]?.[0]?.value;
    const groups: IppGroup[] = [{ tag: GROUP.operation, attributes: {} }];
    if (message.code === PRINT_JOB) {
      states.set(states.size + 1, "held");
      groups.push({ tag: GROUP.job, attributes: { "job-id": [{ tag: "integer", value: states.size }] } });
    } else if (message.code === GET_JOB) {
      const value = STATE[states.get(Number(asked)) ?? "completed"];
      groups.push({ tag: GROUP.job, attributes: { "job-state": [{ tag: "enum", value }] } });
    } else {
      groups.push({ tag: GROUP.printer, attributes: { "printer-state": [{ tag: "enum", value: 3 }] } });
    }
    outgoing.setHeader("content-type", "application/ipp");
    outgoing.end(encodeIpp({ code: 0, requestId: message.requestId, groups }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { states, address: `ipp://127.0.0.1:${port}/ipp/print` };
}

test("a job that a spooler holds is asked after again after a restart, and holds up none behind it", async (t) => {
  const { states, address } = await spooler(t);
  const home = temporaryHome(t);
  let b = await bridge(t, { home });
  b.addPrinter({ id: "ipp", transport: "ipp", address });
  const token = b.allow();
  let page = await admitted(t, b.url, token);
  const stateOf = async (jobId: string) => (await page.ask("job.get", { jobId })).state;
  const held = await page.jobId("print.raw", { printer: "ipp", data: LABEL });
  await until("it is held", async () => (await stateOf(held)) === "Held");
  await b.close();

  b = await bridge(t, { home });
  page = await admitted(t, b.url, token);
  const next = await page.jobId("print.raw", { printer: "ipp", data: LABEL });
  await until("the next was handed over", () => states.size === 2);
  states.set(2, "completed");
  assert.equal((await page.ended(next)).state, "Done");
  assert.equal(await stateOf(held), "Held");
  states.set(1, "completed");
  assert.equal((await page.ended(held)).state, "Done");
  assert.equal(states.size, 2, "it was not handed over again");
});

test("jobs that a spooler has count among those that may wait for its printer", async (t) => {
  const { states, address } = await spooler(t);
  const b = await bridge(t, { env: { PRINT_LIMIT_WAITING: "3" } });
  b.addPrinter({ id: "ipp", transport: "ipp", address });
  const page = await admitted(t, b.url, b.allow());
  const print = () => page.call("print.raw", { printer: "ipp", data: LABEL });
  const jobs = [await print(), await print(), await print()].map(({ result }) => result?.jobId as string);
  await until("all are handed over", () => states.size === 3);
  assert.equal((await print()).error?.code, "RATE_LIMITED");
  states.set(1, "completed");
  assert.equal((await page.ended(jobs[0] ?? "")).state, "Done");
  await until("there is room", async () => (await print()).error === undefined);
});
