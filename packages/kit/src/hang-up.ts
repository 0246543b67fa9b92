import type { Duplex } from "node:stream";

/** How long the other side may take to close its own half of a connection that was ended. */
const HANG_UP_MS = 1_000;

/**
 * Says the last of a connection, and closes it: a peer that never closes its own half would keep the connection, and with
 * it a place among those that the server takes. What still comes is passed over, since closing on it cuts off the answer.
 */
export function hangUp(socket: Duplex, lastWords: string): void {
  socket.end(lastWords);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
