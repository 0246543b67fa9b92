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
  readonly cut: () => void;
}

/** Bounds what is kept of messages whose end does not come: past it the connection with the most of it is cut. */
export function createUnfinishedFrames({ unfinishedBytesPerOrigin, unfinishedMs }: UnfinishedLimits) {
  const connections = new Set<Arriving>();

  function assertRoom(origin: string): void {
    const siblings = [...connections].filter((other) => other.origin === origin);
    const sum = siblings.reduce((bytes, { meter }) => bytes + meter.unfinished, 0);
    if (sum <= unfinishedBytesPerOrigin) return;
    const [most] = siblings.sort((one, other) => other.meter.unfinished - one.meter.unfinished);
    if (most) connections.delete(most);
    most?.cut();
  }

  return {
    /**
     * `onBytes` hears the most that was unfinished while a piece arrived. `isPaused`: nothing is read at the moment, so
     * nothing can come.
     */
    follow(
      socket: Duplex,
      head: Uint8Array,
      origin: string,
      { onBytes, isPaused }: { onBytes: (most: number) => void; isPaused: () => boolean },
    ): void {
      const meter = createFrameMeter();
      const connection: Arriving = { origin, meter, cut: () => socket.destroy() };
      connections.add(connection);
      let deadline: NodeJS.Timeout | undefined;
      const expectMore = () => {
        clearTimeout(deadline);
        if (meter.unfinished === 0) return;
        deadline = setTimeout(() => (isPaused() ? expectMore() : connection.cut()), unfinishedMs).unref();
      };
      const arrive = (piece: Uint8Array) => {
        onBytes(meter.push(piece));
        expectMore();
        if (meter.unfinished > 0) assertRoom(origin);
      };
      socket.on("data", arrive);
      socket.on("close", () => {
        clearTimeout(deadline);
        connections.delete(connection);
      });
      if (head.length > 0) arrive(head);
    },
  };
}
