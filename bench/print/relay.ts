import { closeSync, fdatasync, fsyncSync, openSync, write } from "node:fs";
import { connect, type Socket } from "node:net";
import { WebSocketServer } from "ws";

/**
 * The least that could stand in the bridge's place: a WebSocket frame in, its data out on a TCP
 * connection that is kept. With "fsync" each job is on disk before it goes on, by a sync of its own; with
 * "shared-fsync" those that come while the disk is busy share the next one. No queue, no states, no
 * origins, no feedback.
 */
const [listenPort, durable, file, ...printerPorts] = process.argv.slice(2);
const journal = durable === "none" ? undefined : openSync(file as string, "a");
let waiting: Array<() => void> = [];
let syncing = false;
const printers = new Map<string, Socket>();
for (const [n, port] of printerPorts.entries()) {
  const socket = connect({ host: "127.0.0.1", port: Number(port), noDelay: true });
  socket.on("data", () => {});
  printers.set(`p${n}`, socket);
}

function syncAll(descriptor: number): void {
  if (syncing || waiting.length === 0) return;
  const answered = waiting;
  waiting = [];
  syncing = true;
  fdatasync(descriptor, () => {
    syncing = false;
    for (const forward of answered) forward();
    if (waiting.length > 0) setImmediate(syncAll, descriptor);
  });
}

const server = new WebSocketServer({ host: "127.0.0.1", port: Number(listenPort), perMessageDeflate: false });
server.on("connection", (ws) => {
  ws.on("message", (data) => {
    const { id, params } = JSON.parse(String(data)) as {
      id: string;
      params: { printer: string; data: string };
    };
    const forward = () => {
      printers.get(params.printer)?.write(params.data);
      ws.send(JSON.stringify({ v: 1, id, result: { jobId: id } }));
    };
    if (journal === undefined) return forward();
    if (durable === "fsync") return write(journal, String(data), () => fdatasync(journal, forward));
    write(journal, String(data), () => {
      waiting.push(forward);
      if (!syncing) setImmediate(syncAll, journal);
    });
  });
});
server.on("listening", () => process.send?.({ ready: true }));
process.on("disconnect", () => {
  if (journal !== undefined) {
    fsyncSync(journal);
    closeSync(journal);
  }
  process.exit(0);
});
