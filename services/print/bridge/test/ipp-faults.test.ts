import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { decodeIpp, encodeIpp } from "../src/transports/ipp-codec.ts";
import { admitted, bridge, type Speaker, until } from "./support.ts";
import { startIppPrinter } from "./transport-peers.ts";

const PRINT_JOB = 0x0002;
const GET_PRINTER = 0x000b;
/** What a way answers in the printer's place, by IPP's own codes. */
const ANSWERS = {
  "answer busy": 0x0507,
  "answer not accepting": 0x0506,
  "answer temporary error": 0x0505,
  "answer device error": 0x0504,
  "answer format not supported": 0x040a,
} as const;

type Fault = keyof typeof ANSWERS | "hang up before the answer";

/** Stands before a real IPP printer and does to jobs what it is told, each fault once. */
async function faultyWay(t: TestContext, printerUri: string) {
  const faults: Fault[] = [];
  /** How many of the questions before a document go wrong, once some have gone well. */
  const questions = { well: 0, wrong: 0 };
  const seen: string[] = [];
  const { hostname, port, pathname } = new URL(printerUri.replace("ipp:", "http:"));

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const message = decodeIpp(Buffer.concat(pieces));
    const fault = message.code === PRINT_JOB ? faults.shift() : undefined;
    if (message.code === PRINT_JOB) seen.push(fault ?? "pass");
    if (message.code === GET_PRINTER && questions.well-- <= 0 && questions.wrong-- > 0)
      return void outgoing.destroy();
    if (fault && fault !== "hang up before the answer") {
      const code = ANSWERS[fault];
      outgoing.setHeader("content-type", "application/ipp");
      return void outgoing.end(encodeIpp({ code, requestId: message.requestId, groups: [] }));
    }
    const onward = request({ hostname, port, path: pathname, method: "POST", headers: incoming.headers });
    onward.end(Buffer.concat(pieces));
    const [answer] = (await once(onward, "response")) as [IncomingMessage];
    if (fault === "hang up before the answer") {
      answer.resume();
      return void outgoing.destroy();
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  }

  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port: here } = server.address() as { port: number };
  return { address: `ipp://127.0.0.1:${here}${pathname}`, faults, questions, seen };
}

const named = (name: string) => `^XA^FX${name};^FS^FO9,9^FDx^FS^XZ`;
const print = (page: Speaker, name: string) => page.jobId("print.raw", { printer: "ipp", data: named(name) });
const stateOf = async (page: Speaker, jobId: string) => {
  const { state, reasons } = await page.ask("job.get", { jobId });
  return [state, ...(reasons as string[])].join(" ");
};

test("a real IPP printer behind a way with faults", async (t) => {
  const peer = await startIppPrinter(t);
  if (!peer?.received) return;
  const { received } = peer;
  const way = await faultyWay(t, peer.entry.address as string);
  const home = temporaryHome(t);
  let b = await bridge(t, { home });
  b.addPrinter({ id: "ipp", ...peer.entry, address: way.address });
  const token = b.allow();
  let page = await admitted(t, b.url, token);
  await until("it is online", async () => {
    return (await page.call("printers.status", { printer: "ipp" })).result?.online === true;
  });

  await t.test("busy holds the job and those behind it; then each arrives once, in order", async () => {
    way.faults.push("answer busy", "answer busy", "answer busy");
    await page.ask("subscribe");
    const ids = [await print(page, "one"), await print(page, "two")];
    for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
    const held = page.jobs().filter(({ state }) => state === "Held");
    assert.ok(
      held.length > 0 && held.every(({ job_id, reasons }) => job_id === ids[0] && reasons[0] === "busy"),
    );
    assert.deepEqual(way.seen.splice(0), ["answer busy", "answer busy", "answer busy", "pass", "pass"]);
    assert.equal(received().toString(), named("one") + named("two"));
  });

  for (const [fault, reason, state] of [
    ["answer not accepting", "not-accepting-jobs", "Held"],
    ["answer temporary error", "temporary-error", "Queued"],
    ["answer device error", "device-error", "Held"],
  ] as const) {
    await t.test(`a job that is refused for now (${reason}) is ${state}, and then printed once`, async () => {
      way.faults.push(fault);
      const id = await print(page, reason);
      assert.equal((await page.ended(id)).state, "Done");
      assert.ok(page.jobs().some((job) => job.state === state && job.reasons[0] === reason));
      assert.deepEqual(way.seen.splice(0), [fault, "pass"]);
      assert.equal(received().toString().split(named(reason)).length - 1, 1);
    });
  }

  await t.test("a question before the document that goes unanswered is not the job's failure", async () => {
    // The queue's own question goes well; the one that chooses the document's format does not.
    for (let well = 0; well < 4; well++) {
      Object.assign(way.questions, { well, wrong: 1 });
      assert.equal((await page.ended(await print(page, `asked-${well}`))).state, "Done");
    }
    assert.deepEqual(way.seen.splice(0), ["pass", "pass", "pass", "pass"]);
  });

  await t.test("a refusal is a failure, and nothing is tried again", async () => {
    way.faults.push("answer format not supported");
    const job = await page.ended(await print(page, "refused"));
    assert.deepEqual([job.state, job.error?.code], ["Failed", "PRINTER_OFFLINE"]);
    assert.deepEqual(way.seen.splice(0), ["answer format not supported"]);
  });

  await t.test("an answer that never comes leaves the job unknown, sent once", async () => {
    way.faults.push("hang up before the answer");
    assert.equal((await page.ended(await print(page, "unanswered"))).state, "Unknown");
    assert.deepEqual(way.seen.splice(0), ["hang up before the answer"]);
    await until("it was taken all the same", () => received().includes(named("unanswered")));
  });

  await t.test("a job that was refused as busy is sent after a restart", async () => {
    way.faults.push(...Array.from({ length: 10_000 }, () => "answer busy" as const));
    const id = await print(page, "later");
    await until("it is held", async () => (await stateOf(page, id)) === "Held busy");
    await b.close();
    way.faults.length = 0;
    b = await bridge(t, { home });
    page = await admitted(t, b.url, token);
    assert.equal((await page.ended(id)).state, "Done");
    assert.equal(received().toString().split(named("later")).length - 1, 1);
  });
});
