import { createServer, type Socket } from "node:net";
import { createPrinter } from "@frontdesk/print-simulator/printer";

/** A printer that notes when the bytes of labels arrive: one that answers as ZPL printers do, or one that is mute. */
export async function startSink(answers: boolean) {
  const printer = createPrinter();
  let labels = 0;
  let onLabel = () => {};
  const sockets = new Set<Socket>();
  const texts: string[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const line = answers ? printer.open((text) => socket.write(text, "latin1")) : undefined;
    socket.on("data", (bytes: Buffer) => {
      // Only the beginning of a label counts, not the questions around it.
      for (let at = bytes.indexOf("^XA"); at >= 0; at = bytes.indexOf("^XA", at + 3)) {
        labels++;
        onLabel();
        texts.push(bytes.toString("latin1", at, Math.min(bytes.length, at + 40)));
      }
      line?.feed(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    printer,
    get labels() {
      return labels;
    },
    texts,
    whenLabel: (hear: () => void) => {
      onLabel = hear;
    },
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export type Sink = Awaited<ReturnType<typeof startSink>>;
