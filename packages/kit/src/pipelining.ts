import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Clients hardly ever send a request before the one before it is answered, and browsers never do. */
const MAX_UNANSWERED = 8;

// On the socket itself, and no function for each request: a WeakMap is felt where pictures are read by the thousand.
const UNANSWERED = Symbol("unanswered");
type Counted = Socket & { [UNANSWERED]?: number };

function isAnswered(this: ServerResponse): void {
  const socket: Counted = this.req.socket;
  socket[UNANSWERED] = (socket[UNANSWERED] ?? 1) - 1;
}

/**
 * Whether a request may be answered. A connection on which many come without waiting for answers is cut: all that Node
 * has read at a time are requests before anything else has its turn, some thousand of them.
 */
export function isInTurn({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // What had been read of it when it was cut.
  if (socket.destroyed) return false;
  const counted: Counted = socket;
  const count = (counted[UNANSWERED] ?? 0) + 1;
  if (count > MAX_UNANSWERED) {
    socket.destroy();
    return false;
  }
  counted[UNANSWERED] = count;
  response.on("close", isAnswered);
  return true;
}
