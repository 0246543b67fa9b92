import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer as createDoor, type Socket } from "node:net";
import { freePort } from "@frontdesk/testkit/free-port";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";

export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** The address of ours that the sender connected to. */
  readonly to: string | undefined;
  /** The raw body, as it came. */
  readonly raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** What the receiver does with a request once it has read it. */
export type Behaviour = (response: ServerResponse, arrival: Arrival) => void;

export const accept: Behaviour = (response) => response.writeHead(200).end("thanks");
export const fail: Behaviour = (response) => response.writeHead(500).end("out of order");
export const hang: Behaviour = () => {};
export const reset: Behaviour = (response) => response.socket?.resetAndDestroy();
export const drip: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 20);
  response.on("close", () => clearInterval(timer));
};
export const endless: Behaviour = (response) => {
  response.writeHead(200);
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(16_384)));
  };
  response.on("drain", more);
  more();
};

/** Says again and again that an answer will come. */
export const earlyHints: Behaviour = (response) => {
  for (let i = 0; i < 100; i++) response.writeEarlyHints({ link: "</x>; rel=preload" });
};

/** A receiver of webhooks on loopback, there by one or several addresses, gone when the test ends. */
export async function startReceiver(t: Closing, others: readonly string[] = []) {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const receiver = { behave: accept, arrivals, url: "", connections: 0, close: async () => {} };
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const arrival = {
        headers: request.headers,
        path: request.url ?? "",
        to: request.socket.localAddress,
        raw,
        body: JSON.parse(raw.toString()),
      };
      arrivals.push(arrival);
      receiver.behave(response, arrival);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    receiver.connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await freePort();
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  for (const host of others) {
    const door = createDoor((socket) => server.emit("connection", socket));
    await new Promise<void>((ready) => door.listen(port, host, ready));
    lastInFirstOut(t).after(() => door.close());
  }
  receiver.url = `http://127.0.0.1:${port}/hook`;
  receiver.close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      for (const socket of sockets) socket.destroy();
    });
  lastInFirstOut(t).after(receiver.close);
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
