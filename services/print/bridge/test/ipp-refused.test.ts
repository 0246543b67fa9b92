import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { createIppSpooler } from "../src/transports/ipp.ts";
import { decodeIpp, encodeIpp, GROUP, type IppGroup } from "../src/transports/ipp-codec.ts";
import { polledTransport } from "../src/transports/polled-device.ts";
import { openSerialPort } from "../src/transports/serial.ts";
import { admitted, bridge, LABEL } from "./support.ts";

const OPERATION = { printJob: 0x0002, getJob: 0x0009 } as const;
const TEMPORARY_ERROR = 0x0505;
const MEMORY = 100_000;

async function serve(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

test("a document that is larger than an IPP printer's memory is given up in the end, and the next is printed", async (t) => {
  const port = await serve(t, async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const asked = Buffer.concat(pieces);
    const { code, requestId } = decodeIpp(asked);
    const isRefused = code === OPERATION.printJob && asked.length > MEMORY;
    const attributes: IppGroup["attributes"] = {
      "job-id": [{ tag: "integer", value: 1 }],
      "job-state": [{ tag: "enum", value: 9 }],
    };
    const groups = isRefused ? [] : [{ tag: GROUP.job, attributes }];
    outgoing.end(encodeIpp({ code: isRefused ? TEMPORARY_ERROR : 0, requestId, groups }));
  });
  const b = await bridge(t, { env: { PRINT_GIVE_UP_MS: "100" } });
  b.addPrinter({ id: "ipp", transport: "ipp", address: `ipp://127.0.0.1:${port}/ipp/print` });
  const page = await admitted(t, b.url, b.allow());
  const print = (data: string) => page.jobId("print.raw", { printer: "ipp", data });
  const ids = [await print(`^XA^FX${"x".repeat(2 * MEMORY)}^FDbig^FS^XZ`), await print(LABEL)];
  const [large, small] = [await page.ended(ids[0] as string), await page.ended(ids[1] as string)];
  assert.deepEqual([large.state, large.error?.code, small.state], ["Failed", "SPOOLER", "Done"]);
});

test("what pages are told of a printer that fails has no address, path or password in it", async (t) => {
  const port = await serve(t, (incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, { "content-length": "100" });
    outgoing.write("half", () => outgoing.destroy());
  });
  const uri = `ipp://admin:secret@127.0.0.1:${port}/ipp/print`;
  const told: string[] = [];
  const tell = ({ message }: Error) => told.push(message);
  await createIppSpooler({ uri, connectMs: 10_000, readMs: 10_000 }).status().catch(tell);
  const open = () => openSerialPort({ path: "/dev/hidden-path", baudRate: 9600, flow: "none" });
  const wait = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, milliseconds).unref();
      signal?.addEventListener("abort", () => resolve());
    });
  await polledTransport({ open, wait, connectMs: 10_000 })().catch(tell);
  assert.equal(told.length, 2);
  for (const message of told) assert.doesNotMatch(message, /127\.0\.0\.1|secret|hidden-path/);
});
