import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createSpoolerBackend } from "../src/backends/spooler-backend.ts";
import type { Spooler, SpoolerJob } from "../src/domain/spooler.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp, GROUP, type IppGroup } from "../src/transports/ipp-codec.ts";
import { admitted, bridge, LABEL, until } from "./support.ts";

const OPERATION = { printJob: 0x0002, getJob: 0x0009, getJobs: 0x000a } as const;
const STATE = { stopped: 6, completed: 9 } as const;

/** A print server that gives every job the number 1, and says of it what a test wants. */
async function printServer(t: TestContext, job: { state: keyof typeof STATE; title?: string }) {
  const documents: string[] = [];
  const users: unknown[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const { code, requestId, groups: asked } = decodeIpp(Buffer.concat(pieces));
    const groups: IppGroup[] = [{ tag: GROUP.operation, attributes: {} }];
    const id = { "job-id": [{ tag: "integer" as const, value: 1 }] };
    if (code === OPERATION.printJob) {
      documents.push(String(asked[0]?.attributes["job-name"]?.[0]?.value));
      groups.push({ tag: GROUP.job, attributes: id });
    } else if (code === OPERATION.getJob || code === OPERATION.getJobs) {
      users.push(asked[0]?.attributes["requesting-user-name"]?.[0]?.value);
      const isListed = code === OPERATION.getJob || job.state !== "completed";
      const state = { "job-state": [{ tag: "enum" as const, value: STATE[job.state] }] };
      const name = job.title ? { "job-name": [{ tag: "name" as const, value: job.title }] } : {};
      if (isListed) groups.push({ tag: GROUP.job, attributes: { ...id, ...state, ...name } });
    } else {
      groups.push({ tag: GROUP.printer, attributes: { "printer-state": [{ tag: "enum", value: 3 }] } });
    }
    outgoing.end(encodeIpp({ code: 0, requestId, groups }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { documents, users, address: `ipp://127.0.0.1:${port}/ipp/print` };
}

test("the number of a job at one print server says nothing at another", async (t) => {
  const first = await printServer(t, { state: "stopped" });
  const other = await printServer(t, { state: "completed" });
  const b = await bridge(t);
  b.addPrinter({ id: "ipp", transport: "ipp", address: first.address });
  const page = await admitted(t, b.url, b.allow());
  const jobId = await page.jobId("print.raw", { printer: "ipp", data: LABEL });
  await until("it is held", async () => (await page.ask("job.get", { jobId })).state === "Held");
  b.addPrinter({ id: "ipp", transport: "ipp", address: other.address });
  assert.equal((await page.ended(jobId)).state, "Unknown");
  assert.deepEqual([first.documents.length, other.documents.length], [1, 0]);
});

for (const state of ["stopped", "completed"] as const)
  test(`an IPP printer is asked whose job has the number (${state}), as its owner`, async (t) => {
    const { address, users } = await printServer(t, { state, title: "another's" });
    const spooler = createIppSpooler({ uri: address, connectMs: 10_000, readMs: 10_000 });
    assert.equal((await spooler.jobs(["1"])).get("1")?.title, "another's");
    assert.deepEqual([...new Set(users)], ["frontdesk"]);
  });

const document = (id: string) => ({
  id,
  data: Buffer.from(LABEL),
  copies: 1,
  labels: 1,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
});

/** A backend at a spooler that gives every job the same number and says of it what a test wants. */
function backendAt(now: () => SpoolerJob) {
  const spooler: Spooler = {
    submit: async () => "1",
    jobs: async () => new Map([["1", now()]]),
    status: async () => ({ online: true, state: "ready", reasons: [], labelsRemaining: 0 }),
  };
  return createSpoolerBackend({ spooler, monotonic: () => 0, wait: systemWait, pollMs: 1, recoverMs: 1_000 });
}

const ID = "0198f1f0-0000-7000-8000-000000000000";
for (const [title, expected] of [
  [`frontdesk ${ID}`, "done"],
  [undefined, "done"],
  [`frontdesk ${ID}`.slice(0, 32), "done"],
  ["frontdesk", "lost"],
  ["frontdesk another-of-ours", "lost"],
  ["invoice.pdf", "lost"],
] as const)
  test(`a job that has ended under the number of ours and the title ${title}: ${expected}`, async () => {
    const backend = backendAt(() => ({ state: "done", reasons: [], title }));
    assert.equal((await backend.send(document(ID), () => {}).outcome).type, expected);
  });

test("a spooler that gives a number again has lost the job that had it", async () => {
  let state: SpoolerJob["state"] = "waiting";
  const backend = backendAt(() => ({ state, reasons: [] }));
  const first = backend.send(document("first"), () => {});
  await first.taken;
  const second = backend.send(document("second"), () => {});
  await second.taken;
  assert.equal((await first.outcome).type, "lost");
  state = "done";
  assert.equal((await second.outcome).type, "done");
});
