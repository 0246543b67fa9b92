import type { WebSocket } from "ws";
import type { FeedWire } from "../protocol/event-feed.ts";
import { createFrameTurns } from "./frame-turns.ts";

export interface UnreadLimits {
  /** What may wait for all connections of an origin together; past that the one with the most unread is cut. */
  readonly unreadBytesPerOrigin: number;
  /** How long a connection that is full may take nothing. */
  readonly unreadMs: number;
}

/** What may wait for one connection; past that it has to connect again and catch up. */
const MAX_UNREAD = 8 * 1024 * 1024;
/** From here on events wait, and requests are not read, until the page has read. */
const FULL = 1024 * 1024;
/** So many frames that come take about as long as one that is handled. */
const ARRIVALS_PER_TURN = 128;
/** More than the shortest requests that fit into what is read at a time, 64 KiB: who sends more sends none. */
const MAX_WAITING = 2_000;

/** One connection: what is written to it, and the frames that come from it. */
export interface Flow extends FeedWire {
  /**
   * So many frames have begun to come, whatever becomes of them. Who sends many, also of those that nobody answers, is
   * not read until they have had their turns.
   */
  arrived(frames: number): void;
  /** Answers a ping when its turn has come: of several that wait only the newest (RFC 6455, 5.5.3). */
  pong(data: Uint8Array): void;
  /** Hands a frame on, at once or when its turn has come and its reply has room; false where too many wait already. */
  receive(frame: () => void): boolean;
  /** Reads nothing for a while. */
  pause(milliseconds: number): void;
  /** Reads nothing any more, and drops what waits. */
  stop(): void;
  /** The connection is gone: calls back once the frames that came before have had their turns. */
  end(handled: () => void): void;
  close(): void;
}

/** Bounds what is kept for pages that do not read: their requests wait in their own buffers, not here. */
export function createBackpressure({ unreadBytesPerOrigin, unreadMs }: UnreadLimits) {
  const origins = new Map<string, Set<WebSocket>>();
  const turns = createFrameTurns();

  const unreadOf = (connections: ReadonlySet<WebSocket>) =>
    [...connections].reduce((bytes, { bufferedAmount }) => bytes + bufferedAmount, 0);

  function open(ws: WebSocket, origin: string): Flow {
    const siblings = origins.get(origin) ?? new Set();
    origins.set(origin, siblings.add(ws));
    const draining: Array<() => void> = [];
    const frames: Array<() => void> = [];
    let deadline: NodeJS.Timeout | undefined;
    let pauses = 0;
    /** Frames that came and have not had their turns. */
    let arrivals = 0;
    /** The newest ping that waits for its answer. */
    let ping: Uint8Array | undefined;

    const isFull = () => {
      const unread = ws.bufferedAmount;
      if (ws.readyState !== ws.OPEN || unread === 0) return false;
      // Before the origin's bound is reached, so that a page that reads a little late is not cut.
      return unread > FULL || unreadOf(siblings) > unreadBytesPerOrigin / 2;
    };
    const stopReading = () => {
      if (pauses++ === 0) ws.pause();
    };
    const readOn = () => {
      if (--pauses === 0) ws.resume();
    };

    function expectProgress(): void {
      clearTimeout(deadline);
      deadline = isFull() ? setTimeout(() => ws.terminate(), unreadMs).unref() : undefined;
    }

    /** Hands on what waits, as far as there is room for replies. */
    function handOn(): void {
      while (frames.length > 0 && !isFull()) {
        if (!turns.take()) {
          turns.wait(handOn);
          return;
        }
        frames.shift()?.();
        if (frames.length === 0) readOn();
      }
    }

    /** Something was taken, or the connection is gone. */
    function drained(): void {
      expectProgress();
      handOn();
      if (!isFull()) for (const resolve of draining.splice(0)) resolve();
    }

    function handle(frame: () => void): void {
      if (frames.length === 0 && !isFull() && turns.take()) return void frame();
      // What came in the same piece of data is here already; what comes after it is not read.
      if (frames.push(frame) > 1) return;
      stopReading();
      if (!isFull()) turns.wait(handOn);
    }

    function passArrivals(): void {
      while (arrivals >= ARRIVALS_PER_TURN) {
        if (!turns.take()) {
          turns.wait(passArrivals);
          return;
        }
        arrivals -= ARRIVALS_PER_TURN;
      }
      readOn();
    }

    function answerPing(): void {
      const data = ping;
      ping = undefined;
      if (ws.readyState !== ws.OPEN) return;
      ws.pong(data, false, drained);
      if (deadline === undefined) expectProgress();
    }

    return {
      arrived: (frames) => {
        const isWaiting = arrivals >= ARRIVALS_PER_TURN;
        arrivals += frames;
        if (isWaiting || arrivals < ARRIVALS_PER_TURN) return;
        stopReading();
        passArrivals();
      },
      send: (text) => {
        if (ws.readyState !== ws.OPEN) return;
        if (ws.bufferedAmount > MAX_UNREAD) return ws.terminate();
        ws.send(text, drained);
        if (ws.bufferedAmount === 0) return;
        if (deadline === undefined) expectProgress();
        if (unreadOf(siblings) <= unreadBytesPerOrigin) return;
        const most = [...siblings].sort((one, other) => other.bufferedAmount - one.bufferedAmount)[0];
        most?.terminate();
      },
      pong: (data) => {
        const isFirst = ping === undefined;
        ping = data;
        // One at most, so it has room behind however many.
        if (isFirst) handle(answerPing);
      },
      get isFull() {
        return isFull();
      },
      drained: () => (isFull() ? new Promise((resolve) => draining.push(resolve)) : Promise.resolve()),
      receive: (frame) => {
        if (frames.length >= MAX_WAITING) return false;
        handle(frame);
        return true;
      },
      pause: (milliseconds) => {
        stopReading();
        setTimeout(readOn, milliseconds).unref();
      },
      stop: () => {
        stopReading();
        frames.length = 0;
      },
      end: (handled) => {
        frames.push(handled);
        handOn();
      },
      close: () => {
        siblings.delete(ws);
        if (siblings.size === 0 && origins.get(origin) === siblings) origins.delete(origin);
        frames.length = 0;
        arrivals = 0;
        drained();
        clearTimeout(deadline);
      },
    };
  }

  return { open };
}
