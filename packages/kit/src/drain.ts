import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Shorter than a service's limit for an orderly end, so that what is closed after the server still can be. */
const MAX_DRAIN_MS = 5_000;

/**
 * Lets a server close although somebody keeps a connection open on which nothing happens, or only half
 * of a request's head has come: those are cut at once, requests under way get some time to end. Call
 * the answer when the server begins to close.
 */
export function drainOnClose(server: Server): () => void {
  const requests = new Map<Socket, number>();
  let closing = false;
  /** However a connection came to the server: whatever is kept of it goes with it. */
  const known = (socket: Socket) => {
    if (requests.has(socket)) return;
    requests.set(socket, 0);
    socket.once("close", () => requests.delete(socket));
  };
  server.on("connection", known);
  // Who takes over a connection closes it.
  server.on("upgrade", (request) => void requests.delete(request.socket));
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    known(socket);
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (requests.get(socket) ?? 1) - 1;
      if (requests.has(socket)) requests.set(socket, left);
      if (closing && left === 0) socket.destroySoon();
    });
  });
  return () => {
    closing = true;
    for (const [socket, count] of requests) if (count === 0) socket.destroy();
    setTimeout(() => server.closeAllConnections(), MAX_DRAIN_MS).unref();
  };
}
