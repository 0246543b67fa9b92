import { closeSync, constants, existsSync, openSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import { until } from "./support.ts";

/** A device file whose far end is a TCP port: what is written to the one comes out of the other. */
export async function cable(t: TestContext, port: number): Promise<string | undefined> {
  if (process.platform !== "linux") return void t.skip("pseudo terminals are made with Linux's socat here");
  const socat = debianProgram(t, "socat", "socat");
  if (!socat) return undefined;
  const path = join(temporaryHome(t), "lp0");
  const wire = tetheredProcess(socat, [
    `pty,raw,echo=0,link=${path},wait-slave,pty-interval=0.01`,
    `tcp:127.0.0.1:${port}`,
  ]);
  t.after(() => wire.stop());
  await until("the device is there", () => existsSync(path));
  // The cable stays in: a pseudo terminal that nobody has open is gone, a device would not be.
  const plug = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  t.after(() => closeSync(plug));
  return path;
}

/** A printer that says nothing of itself and can be told when to take bytes. */
export async function byteSink(t: TestContext, onBytes: (total: number, socket: Socket) => void = () => {}) {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  let total = 0;
  const sink = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => {
      received.push(Buffer.from(bytes));
      total += bytes.length;
      onBytes(total, socket);
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    sink.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (sink.address() as { port: number }).port,
    sockets,
    received: () => Buffer.concat(received),
  };
}
