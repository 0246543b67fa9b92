import assert from "node:assert/strict";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";

async function page(t: TestContext, entry: Parameters<Awaited<ReturnType<typeof bridge>>["addPrinter"]>[0]) {
  const b = await bridge(t);
  b.addPrinter(entry);
  return { ...b, page: await admitted(t, b.url, b.allow()) };
}

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
