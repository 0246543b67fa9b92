import type { Duplex } from "node:stream";
import { createFrameMeter } from "./frame-meter.ts";

export interface UnfinishedLimits {
  /** What may have come of messages without their end, on all connections of an origin together. */
  readonly unfinishedBytesPerOrigin: number;
  /** How long the rest of a message may bring nothing. */
  readonly unfinishedMs: number;
}

/** A connection whose messages are followed as they arrive. */
interface Arriving {
  readonly origin: string;
  readonly meter: ReturnType<typeof createFrameMeter>;
}

/** Bounds what is kept of messages whose end does not come: the connection that goes past it is closed. */
export function createUnfinishedFrames({ unfinishedBytesPerOrigin, unfinishedMs }: UnfinishedLimits) {
  const connections = new Set<Arriving>();

  function hasRoom(origin: string): boolean {
    let sum = 0;
    for (const other of connections) if (other.origin === origin) sum += other.meter.unfinished;
    return sum <= unfinishedBytesPerOrigin;
  }

  return {
    /**
     * Follows what the WebSocket on this socket reads, before it does. `onPiece` hears how many frames began in a piece
     * and the most that was unfinished while it arrived. `isPaused`: nothing is read at the moment, so nothing can
     * come. `onFull`: there is no room for what came; the connection is not followed any more.
     */
    follow(
      socket: Duplex,
      origin: string,
      {
        onPiece,
        onFull,
        isPaused,
      }: { onPiece: (frames: number, most: number) => void; onFull: () => void; isPaused: () => boolean },
    ): void {
      const meter = createFrameMeter();
      const connection: Arriving = { origin, meter };
      connections.add(connection);
      let deadline: NodeJS.Timeout | undefined;
      const expectMore = () => {
        clearTimeout(deadline);
        if (meter.unfinished === 0) return;
        deadline = setTimeout(() => (isPaused() ? expectMore() : socket.destroy()), unfinishedMs).unref();
      };
      socket.prependListener("data", (piece: Uint8Array) => {
        const before = meter.frames;
        const most = meter.push(piece);
        onPiece(meter.frames - before, most);
        expectMore();
        if (meter.unfinished > 0 && connections.has(connection) && !hasRoom(origin)) {
          connections.delete(connection);
          onFull();
        }
      });
      socket.on("close", () => {
        clearTimeout(deadline);
        connections.delete(connection);
      });
    },
  };
}
