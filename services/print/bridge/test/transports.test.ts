import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { decodeIpp, encodeIpp, GROUP } from "../src/transports/ipp-codec.ts";
import { startDnsSd } from "./dns-sd.ts";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";

const BYTES = Buffer.from([
  ...Buffer.from("^XA^FO1,1^FD"),
  ...Array.from({ length: 256 }, (_, n) => (n === 0x5e || n === 0x7e ? 0x20 : n)),
  ...Buffer.from("^FS^XZ"),
]);
const RAW = { data: BYTES.toString("base64"), encoding: "base64", copies: 2 };

async function page(t: TestContext, entry: Parameters<Awaited<ReturnType<typeof bridge>>["addPrinter"]>[0]) {
  const b = await bridge(t);
  b.addPrinter(entry);
  return { ...b, page: await admitted(t, b.url, b.allow()) };
}

test("an IPP printer (ippeveprinter) gets exactly the bytes, and its word is what the job's end is", async (t) => {
  const program = debianProgram(t, "ippeveprinter", "cups-ipp-utils");
  const dnsSd = program && (await startDnsSd(t));
  if (!program || !dnsSd) return;
  const home = temporaryHome(t);
  const port = await freePort();
  const spool = join(home, "spool");
  mkdirSync(spool);
  const printer = tetheredProcess(
    program,
    [
      "-r",
      "off",
      "-p",
      String(port),
      "-d",
      spool,
      "-k",
      "-f",
      "application/octet-stream,application/vnd.zebra-zpl",
      "Label",
    ],
    {
      env: { ...process.env, ...dnsSd, HOME: home, TMPDIR: home },
    },
  );
  t.after(() => printer.stop());
  const { page: speaker } = await page(t, {
    id: "ipp",
    transport: "ipp",
    address: `ipp://127.0.0.1:${port}/ipp/print`,
  });
  await until("it answers", async () => (await speaker.ask("printers.status", { printer: "ipp" })).online);
  const job = await speaker.ended(await speaker.jobId("print.raw", { printer: "ipp", ...RAW }));
  assert.deepEqual([job.state, job.verification], ["Done", "sent"]);
  const [file] = readdirSync(spool).filter((name) => !name.endsWith(".html"));
  assert.deepEqual(readFileSync(join(spool, file as string)), Buffer.concat([BYTES, BYTES]));
});

test("a queue of CUPS gets exactly the bytes and passes them on", async (t) => {
  const cupsd = debianProgram(t, "cupsd", "cups");
  const lpadmin = cupsd && debianProgram(t, "lpadmin", "cups-client");
  if (!cupsd || !lpadmin) return;
  if (process.getuid?.() !== 0) return t.skip("a CUPS of one's own needs root");
  const received: Buffer[] = [];
  const sink = createServer((socket) => socket.on("data", (bytes) => received.push(Buffer.from(bytes))));
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  t.after(() => sink.close());
  const home = temporaryHome(t);
  const folder = (name: string) => {
    const path = join(home, name);
    mkdirSync(path, { mode: 0o755 });
    return path;
  };
  execFileSync("chmod", ["755", home]);
  const socket = join(home, "cups.sock");
  writeFileSync(
    join(home, "cupsd.conf"),
    `Listen ${socket}\nLogLevel warn\nMaxLogSize 0\nDefaultAuthType None\nBrowsing No\n<Location />\nOrder allow,deny\nAllow all\n</Location>\n<Policy default>\n<Limit All>\nOrder deny,allow\n</Limit>\n</Policy>\n`,
  );
  writeFileSync(
    join(home, "cups-files.conf"),
    `ServerRoot ${folder("root")}\nRequestRoot ${folder("spool")}\nTempDir ${folder("temp")}\nCacheDir ${folder("cache")}\nStateDir ${folder("state")}\nAccessLog ${home}/access\nErrorLog ${home}/error\nPageLog ${home}/page\nFileDevice Yes\nSystemGroup root\n`,
  );
  const server = tetheredProcess(cupsd, [
    "-f",
    "-c",
    join(home, "cupsd.conf"),
    "-s",
    join(home, "cups-files.conf"),
  ]);
  t.after(() => server.stop());
  await until("CUPS listens", () => existsSync(socket));
  const env = { ...process.env, CUPS_SERVER: socket };
  const { port } = sink.address() as { port: number };
  execFileSync(lpadmin, ["-p", "labels", "-E", "-v", `socket://127.0.0.1:${port}`, "-m", "raw"], {
    env,
    stdio: "pipe",
  });
  const before = process.env.CUPS_SERVER;
  process.env.CUPS_SERVER = socket;
  t.after(() => {
    if (before === undefined) delete process.env.CUPS_SERVER;
    else process.env.CUPS_SERVER = before;
  });
  const { page: speaker } = await page(t, { id: "spooled", transport: "spooler", address: "labels" });
  const job = await speaker.ended(await speaker.jobId("print.raw", { printer: "spooled", ...RAW }));
  assert.deepEqual([job.state, job.verification], ["Done", "sent"]);
  assert.deepEqual(Buffer.concat(received), Buffer.concat([BYTES, BYTES]));
  const missing = await page(t, { id: "none", transport: "spooler", address: "no-such-queue" });
  assert.equal(await missing.page.code("print.raw", { printer: "none", data: LABEL }), "PRINTER_OFFLINE");
});

/** The simulator at the end of a device: what is written to the file reaches it, and it answers. */
async function device(t: TestContext) {
  const socat = debianProgram(t, "socat", "socat");
  if (!socat) return undefined;
  const sim = await simulator(t);
  const path = join(temporaryHome(t), "lp0");
  const cable = tetheredProcess(socat, [
    `pty,raw,echo=0,link=${path},wait-slave`,
    `tcp:127.0.0.1:${sim.listener.port}`,
  ]);
  t.after(() => cable.stop());
  await until("the device is there", () => existsSync(path));
  // The cable stays in: a pseudo terminal that nobody has open is gone, a device would not be.
  const plug = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  t.after(() => closeSync(plug));
  return { ...sim, path };
}

for (const transport of ["usb", "serial"] as const) {
  test(`${transport}: a printer that is a device is printed to and believed`, async (t) => {
    if (process.platform !== "linux") return t.skip("pseudo terminals are made with Linux's socat here");
    const found = await device(t);
    if (!found) return;
    const address = transport === "serial" ? `${found.path}?baud=115200` : found.path;
    const { page: speaker } = await page(t, { id: "dev", transport, address });
    const big = `^XA^FO1,1^FD${"x".repeat(100_000)}^FS^XZ`;
    const job = await speaker.ended(await speaker.jobId("print.raw", { printer: "dev", data: big }));
    assert.deepEqual([job.state, job.verification], ["Done", "printer"]);
    assert.equal(found.printer.labels[0]?.zpl.length, big.length);
  });

  test(`${transport}: a device that is not there is offline`, async (t) => {
    const { page: speaker } = await page(t, {
      id: "dev",
      transport,
      address: join(temporaryHome(t), "none"),
    });
    assert.equal(await speaker.code("print.raw", { printer: "dev", data: LABEL }), "PRINTER_OFFLINE");
    assert.equal((await speaker.ask("printers.status", { printer: "dev" })).online, false);
  });
}

test("IPP messages are golden, and what is read back is what was written", () => {
  const message = {
    code: 0x0002,
    requestId: 7,
    groups: [
      {
        tag: GROUP.operation,
        attributes: {
          "attributes-charset": [{ tag: "charset" as const, value: "utf-8" }],
          "job-id": [{ tag: "integer" as const, value: -5 }],
          flags: [
            { tag: "boolean" as const, value: true },
            { tag: "boolean" as const, value: false },
          ],
        },
      },
    ],
  };
  const bytes = encodeIpp(message);
  assert.equal(
    bytes.toString("hex"),
    "020000020000000701470012617474726962757465732d6368617273657400057574662d38210006" +
      "6a6f622d69640004fffffffb220005666c61677300010122000000010003",
  );
  assert.deepEqual(decodeIpp(bytes), message);
  assert.throws(() => decodeIpp(bytes.subarray(0, 30)));
});
