import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { crc32, deflateSync } from "node:zlib";
import { debianProgram } from "@frontdesk/testkit/debian";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { listen } from "../src/listener.ts";
import { createPrinter } from "../src/printer.ts";

const run = promisify(execFile);
const LIMIT_MS = 120_000;

/** A grey square, as small as a picture can be and still be a label. */
function picture(): Buffer {
  const side = 64;
  const rows = Buffer.alloc(side * (side + 1), 0x60);
  for (let row = 0; row < side; row++) rows[row * (side + 1)] = 0;
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8 + body.length);
    frame.writeUInt32BE(data.length);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc32(body), 4 + body.length);
    return frame;
  };
  const head = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

test("lprint, which is not ours, prints to the simulator and reads its status", async (t) => {
  const lprint = debianProgram(t, "lprint", "lprint");
  if (!lprint) return;
  const printer = createPrinter();
  const listener = await listen(printer);
  t.after(() => listener.stop());
  const home = temporaryHome(t);
  const port = await freePort();
  const env = { ...process.env, HOME: home, TMPDIR: home };
  const server = tetheredProcess(
    lprint,
    [
      "server",
      "-o",
      `server-port=${port}`,
      "-o",
      "listen-hostname=127.0.0.1",
      "-o",
      `spool-directory=${home}/spool`,
    ],
    { env },
  );
  t.after(() => server.stop());
  const url = `ipp://127.0.0.1:${port}/ipp`;
  const ask = async (...words: string[]) => (await run(lprint, words, { env, timeout: LIMIT_MS })).stdout;
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (const deadline = Date.now() + LIMIT_MS; ; await delay(100)) {
      if (await holds().catch(() => false)) return;
      assert.ok(Date.now() < deadline, `never seen: ${what}`);
    }
  };

  const device = ["-v", `socket://127.0.0.1:${listener.port}`, "-m", "zpl_4inch-203dpi-dt"];
  await until("lprint answers", async () => {
    await ask("add", "-d", "sim", "-u", `${url}/system`, ...device);
    return true;
  });
  writeFileSync(join(home, "label.png"), picture());
  await ask("submit", "-d", "sim", "-u", `${url}/print/sim`, join(home, "label.png"));
  await until("the job is completed", async () =>
    (await ask("jobs", "-u", `${url}/print/sim`)).includes("completed"),
  );
  assert.equal(printer.labels.length, 1);
  assert.match(printer.labels[0]?.zpl ?? "", /\^XGR:LPRINT\.GRF/);

  printer.set("paper-out", true);
  await until("lprint tells that the paper is out", async () =>
    (await ask("status", "-u", `${url}/print/sim`)).includes("media-empty"),
  );
});
