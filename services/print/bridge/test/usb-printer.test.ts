import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { systemClock } from "@frontdesk/kit/clock";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { backendFor } from "../src/backends/backend-for.ts";
import type { JobProgress } from "../src/domain/job-machine.ts";
import { systemWait } from "../src/start-bridge.ts";
import { assertAddress } from "../src/transports/addresses.ts";
import { listUsbPrinters, systemUsbDevices, type UsbDevice } from "../src/transports/usb-printer.ts";
import { scriptedUsb } from "./scripted-usb.ts";
import { until } from "./support.ts";

const BIG = `^XA^FO1,1^FD${"x".repeat(20_000)}^FS^XZ`;

function backend(t: TestContext, devices: readonly UsbDevice[], more: object = {}) {
  const made = backendFor(
    completePrinter({ id: "usb", transport: "usb", address: "usb://0a5f:0166/SN1", ...more }),
    {
      clock: systemClock,
      monotonic: () => performance.now(),
      hangUpMs: 300,
      wait: systemWait,
      connectMs: 500,
      readMs: 300,
      pollMs: 20,
      idleMs: 50,
      recoverMs: 300,
      maxVoids: 3,
      draw: async () => [],
      pictures: { list: () => [], max: 0, put: async () => {} },
      usbDevices: async () => devices,
    },
  );
  t.after(() => made.close());
  return made;
}

const document = (data: string) => ({
  id: "job",
  data: Buffer.from(data),
  copies: 1,
  labels: 1,
  rfid: false,
  odometer: undefined,
  spoolerJob: undefined,
});

test("scripted usb: the printer's own part is claimed from the system's driver, printed to, believed, and given back", async (t) => {
  const other = scriptedUsb({}, "SN2");
  const usb = scriptedUsb({ driver: true });
  const made = backend(t, [other.device, usb.device]);
  assert.equal((await made.prepare()).state, "ready");
  const outcome = await made.send(document(BIG), () => {}).outcome;
  assert.ok(outcome.type === "done" && outcome.verification === "printer");
  assert.equal(usb.printer.labels[0]?.zpl, BIG);
  assert.equal(other.calls.length, 0, "the other of the same kind is left alone");
  await made.close();
  // Twice: answers to what an earlier run of the bridge asked are let pass before the first job.
  const claimed = ["open", "detach", "claim 1", "alternate 1 1", "release 1", "attach", "close"];
  assert.deepEqual(usb.calls, [...claimed, ...claimed]);
});

test("scripted usb: a printer without paper takes nothing and holds the job; with paper every byte arrives once", async (t) => {
  const usb = scriptedUsb({ oneWay: true });
  const made = backend(t, [usb.device], { feedback: "none" });
  await made.prepare();
  usb.faults.stuck = true;
  const told: JobProgress[] = [];
  const { outcome, taken } = made.send(document(BIG), (progress) => told.push(progress));
  await until("it is held", () =>
    told.some((progress) => progress.type === "stopped" && progress.reasons[0] === "not-taking-data"),
  );
  usb.faults.stuck = false;
  await taken;
  made.idle();
  assert.equal((await outcome).type, "done");
  assert.equal(usb.received().toString(), BIG);
});

test("scripted usb: one that is pulled out in mid-job leaves it unknown, and is offline", async (t) => {
  const usb = scriptedUsb({ unplugAtByte: 10_000, oneWay: true });
  const made = backend(t, [usb.device], { feedback: "none" });
  await made.prepare();
  assert.equal((await made.send(document(BIG), () => {}).outcome).type, "lost");
  assert.ok(usb.received().length < BIG.length);
  await assert.rejects(made.status(), { code: "PRINTER_OFFLINE" });
});

test("scripted usb: what is not there, or is no printer, is offline and left closed", async (t) => {
  await assert.rejects(backend(t, []).status(), { code: "PRINTER_OFFLINE" });
  const usb = scriptedUsb();
  const mouse = { ...usb.device, configuration: { interfaces: [] } };
  await assert.rejects(backend(t, [mouse]).status(), { code: "PRINTER_OFFLINE" });
  assert.deepEqual(usb.calls, ["open", "close"]);
});

test("scripted usb: printers are listed with an address to bind, and none is taken from its driver", async () => {
  const usb = scriptedUsb({ driver: true });
  const denied = {
    ...usb.device,
    get configuration(): never {
      throw new Error("configuration error: permission denied");
    },
  };
  assert.deepEqual(await listUsbPrinters(async () => [denied, usb.device]), [
    { address: "usb://0a5f:0166/SN1", maker: "Zebra Technologies", model: "ZTC ZD420", serial: "SN1" },
  ]);
  assert.deepEqual(usb.calls, []);
});

test("the real library is there, and tells of devices or why there are none", async () => {
  const told = await systemUsbDevices().then(
    (devices) => devices.every(({ vendorId }) => Number.isInteger(vendorId)),
    (error: Error) => /getDevices error/.test(error.message),
  );
  assert.equal(told, true);
});

test("a usb address says what is wrong with it", () => {
  for (const address of ["/dev/usb/lp0", "usb://0a5f:0166", "usb://0A5F:0166/52J%2F1", ""])
    assertAddress({ transport: "usb", address });
  for (const address of ["usb:0a5f:0166", "usb://zebra", "usb://0a5f:0166/a/b", "usb://0a5f:0166/%zz"])
    assert.throws(() => assertAddress({ transport: "usb", address }), { code: "PROTOCOL_ERROR" }, address);
});
