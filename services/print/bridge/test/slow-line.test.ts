import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { createNoFeedbackBackend } from "../src/backends/no-feedback-backend.ts";
import type { JobProgress } from "../src/domain/job-machine.ts";
import { type PolledDevice, polledTransport } from "../src/transports/polled-device.ts";
import { tcpTransport } from "../src/transports/tcp.ts";
import { until } from "./support.ts";
import { virtualTime } from "./virtual-time.ts";
import { zplDesk } from "./zpl-desk.ts";

const KIB_20 = `^XA^FXbig;^FD${"x".repeat(20 * 1024)}^FS^XZ`;

test("a ZPL printer that takes a large job slowly is not held, and one that takes nothing any more is, until it goes on", async () => {
  const desk = zplDesk();
  const states = new Set<string>();
  desk.wire.secondsPerKiB = 1;
  desk.submit("big", 1, KIB_20);
  await desk.time.until(() => desk.labelsOf("big") === 1 || !states.add(desk.job("big").state));
  assert.deepEqual([...states], ["Queued", "Sending"]);
  await desk.time.until(desk.allEnded);
  assert.equal(desk.job("big").state, "Done");

  desk.wire.secondsPerKiB = 10;
  desk.submit("stuck", 1, KIB_20.replace("big", "stuck"));
  await desk.time.until(() => desk.job("stuck").state === "Held");
  assert.deepEqual(desk.job("stuck").reasons, ["not-taking-data"]);
  desk.wire.secondsPerKiB = 0.1;
  await desk.time.until(() => desk.job("stuck").state === "Printing");
  await desk.time.until(desk.allEnded);
  assert.equal(desk.job("stuck").state, "Done");
  await desk.close();
});

/** A serial line whose system takes 4 KiB ahead of the device, which takes 960 bytes a second unless it is stopped. */
function serialDesk() {
  const time = virtualTime();
  const device = { isStopped: false, held: 0, received: 0 };
  void (async () => {
    for (;;) {
      await time.wait(100);
      const sent = device.isStopped ? 0 : Math.min(96, device.held);
      device.held -= sent;
      device.received += sent;
    }
  })();
  const line: PolledDevice = {
    read: async () => "again",
    write: async (bytes, from) => {
      const room = Math.min(4_096 - device.held, bytes.length - from);
      device.held += room;
      return room > 0 ? room : "again";
    },
    hasAll: async () => device.held === 0,
    unsent: async () => device.held,
    close: async () => {},
  };
  const connect = polledTransport({ open: async () => line, wait: time.wait, connectMs: 1_000 });
  const backend = createNoFeedbackBackend({ connect, wait: time.wait, pollMs: 250 });
  return { time, device, backend };
}

test("a serial line of 9,600 baud takes a job for as long as it lasts and holds nothing, unless it stops", async () => {
  const { time, device, backend } = serialDesk();
  const told: JobProgress["type"][] = [];
  let outcome: string | undefined;
  const data = Buffer.from(KIB_20);
  let isReady = false;
  void backend.prepare().then(() => {
    isReady = true;
  });
  await time.until(() => isReady);
  const document = { id: "job", data, copies: 1, labels: 1, rfid: false };
  const sent = backend.send({ ...document, odometer: undefined, spoolerJob: undefined }, ({ type }) => {
    told.push(type);
  });
  void sent.outcome.then(({ type }) => {
    outcome = type;
  });
  void sent.taken.then(backend.idle);
  await time.until(() => device.received > 10_000);
  assert.deepEqual(told, []);
  device.isStopped = true;
  await time.until(() => told.length > 0);
  device.isStopped = false;
  await time.until(() => device.received === data.length);
  await time.until(() => outcome !== undefined);
  assert.deepEqual([told, outcome], [["stopped", "printing"], "done"]);
});

test("a device that takes a few bytes at a time gets one write after the other, each of them whole", async () => {
  const time = virtualTime();
  let received = "";
  const line: PolledDevice = {
    read: async () => "again",
    write: async (bytes, from) => {
      await time.wait(10);
      const piece = Buffer.from(bytes.subarray(from, from + 3));
      received += piece;
      return piece.length;
    },
    hasAll: async () => true,
    close: async () => {},
  };
  const connect = polledTransport({ open: async () => line, wait: time.wait, connectMs: 1_000 });
  let isEnded = false;
  void (async () => {
    const connection = await connect();
    for (const text of ["question", "the label", "another question"])
      void connection.write(Buffer.from(text));
    await connection.end();
    isEnded = true;
  })();
  await time.until(() => isEnded);
  assert.equal(received, "questionthe labelanother question");
});

async function reader(t: TestContext) {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const connection = await tcpTransport({ host: "127.0.0.1", port, connectMs: 10_000, hangUpMs: 10_000 })();
  const [socket] = await accepted;
  t.after(() => {
    connection.destroy();
    socket.destroy();
  });
  return { connection, socket };
}

test("tcp: progress stands still while the device reads nothing, and moves as soon as it reads", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux tells what a device has not acknowledged");
  const { connection, socket } = await reader(t);
  connection.write(Buffer.alloc(64 * 1024 * 1024)).catch(() => {});
  let before = "";
  let same = 0;
  await until("the buffers are full", async () => {
    const now = await connection.progress();
    same = now === before ? same + 1 : 0;
    before = now;
    return same > 20;
  });
  socket.on("data", () => {}).resume();
  await until("it goes on", async () => (await connection.progress()) !== before);
});
