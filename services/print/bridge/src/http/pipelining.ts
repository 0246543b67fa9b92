import type { Socket } from "node:net";
import type { Shortcut } from "@frontdesk/kit/http-server";

/** Clients hardly ever send a request before the one before it is answered, and browsers never do. */
const MAX_UNANSWERED = 8;

/**
 * Cuts a connection on which many requests come without waiting for answers. All that Node has read at a time are
 * requests before anything else has its turn, some thousand of them.
 */
export function cutLongPipelines(): Shortcut {
  const unanswered = new WeakMap<Socket, number>();
  return ({ socket }, response, route) => {
    // What had been read of it when it was cut.
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) return void socket.destroy();
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    route();
  };
}
