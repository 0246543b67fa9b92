import type { Server } from "node:http";
import { hangUp } from "@frontdesk/kit/hang-up";
import { WebSocketServer } from "ws";
import { siteOf } from "../domain/pairings.ts";
import type { Bridge } from "../protocol/bridge.ts";
import { openSession, type Session, type Wire } from "../protocol/session.ts";
import { createBackpressure, type UnreadLimits } from "./backpressure.ts";
import { createUnfinishedFrames, type UnfinishedLimits } from "./unfinished-frames.ts";

export interface ConnectionLimits extends UnreadLimits, UnfinishedLimits {
  readonly sessions: number;
  readonly sessionsPerOrigin: number;
  /** Connections of all pages together whose origin was not allowed: they take no room from those that were. */
  readonly unknownOrigins: number;
  /** Those of one site among them: a page can have as many subdomains as it likes. */
  readonly unknownPerSite: number;
  /** Connections that have not shown a token. */
  readonly unauthenticatedPerOrigin: number;
  /** How long a connection may stay without its first frame. */
  readonly firstFrameMs: number;
  /** The largest frame before a token was shown. */
  readonly unauthenticatedFrameBytes: number;
}

const LIMITS: ConnectionLimits = {
  sessions: 500,
  sessionsPerOrigin: 200,
  unknownOrigins: 100,
  unknownPerSite: 64,
  unauthenticatedPerOrigin: 64,
  firstFrameMs: 10_000,
  unauthenticatedFrameBytes: 64 * 1024,
  unreadBytesPerOrigin: 64 * 1024 * 1024,
  unreadMs: 60_000,
  unfinishedBytesPerOrigin: 64 * 1024 * 1024,
  unfinishedMs: 30_000,
};
/** A frame so much over the limit is still read, so that its sender can be told. */
const MAX_OVER = 64 * 1024;
/** How long the other side may take to confirm a close before the connection is cut. */
const CLOSE_TIMEOUT_MS = 2_000;
const GOING_AWAY = 1001;
const NO_FIRST_FRAME = 1008;
const NO_TOKEN = 1008;
const TOO_LARGE = 1009;
const TRY_AGAIN_LATER = 1013;
/** So many of the largest frames of an origin may arrive at a time, whatever their limit is. */
const FRAMES_AT_A_TIME = 16;
/** A binary frame is none of the protocol's. */
const NO_TEXT = Buffer.alloc(0);

/** The protocol's endpoint: `/ws`, one session for each connection. */
export function serveWebSockets(
  http: Server,
  bridge: Bridge,
  isOurs: (host: string | undefined) => boolean,
  chosen: Partial<ConnectionLimits> = {},
) {
  const limits = { ...LIMITS, ...chosen };
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // Answered where it is known how much waits to be read.
    autoPong: false,
    maxPayload: bridge.limits.frameBytes + MAX_OVER,
  });
  const backpressure = createBackpressure(limits);
  const unfinished = createUnfinishedFrames({
    ...limits,
    unfinishedBytesPerOrigin: Math.max(
      limits.unfinishedBytesPerOrigin,
      FRAMES_AT_A_TIME * bridge.limits.frameBytes,
    ),
  });
  const sessions = new Map<
    Session,
    { readonly origin: string; isSilent: boolean; readonly close: () => void }
  >();

  /** Refused before the handshake: a page must not be able to make the bridge keep anything for it. */
  function hasRoom(origin: string): boolean {
    const isUnknown = (name: string) => name !== "" && !bridge.access.origin(name);
    let ofOrigin = 0;
    let unauthenticatedOfOrigin = 0;
    let unknown = 0;
    let unknownOfSite = 0;
    let oldest: (() => void) | undefined;
    let oldestSilent: (() => void) | undefined;
    for (const [session, { origin: name, isSilent, close }] of sessions) {
      if (isUnknown(name)) {
        unknown++;
        if (siteOf(name) === siteOf(origin)) unknownOfSite++;
        else if (isSilent) oldestSilent ??= close;
      }
      if (name !== origin) continue;
      ofOrigin++;
      if (session.authenticated) continue;
      unauthenticatedOfOrigin++;
      oldest ??= close;
    }
    // Anybody can connect in an allowed page's name: who shows no token makes room for who may.
    if (oldest && unauthenticatedOfOrigin >= limits.unauthenticatedPerOrigin && !isUnknown(origin)) {
      oldest();
      ofOrigin--;
      unauthenticatedOfOrigin--;
    }
    // Nor may one page keep all others from asking by connections on which it says nothing.
    if (oldestSilent && isUnknown(origin) && unknown >= limits.unknownOrigins) {
      oldestSilent();
      unknown--;
    }
    return (
      sessions.size < limits.sessions &&
      ofOrigin < limits.sessionsPerOrigin &&
      unauthenticatedOfOrigin < limits.unauthenticatedPerOrigin &&
      (!isUnknown(origin) || (unknown < limits.unknownOrigins && unknownOfSite < limits.unknownPerSite))
    );
  }

  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const refuse = (status: string) => hangUp(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    if (!isOurs(request.headers.host)) return refuse("421 Misdirected Request");
    if (request.url?.split("?")[0] !== "/ws") return refuse("404 Not Found");
    const origin = request.headers.origin;
    try {
      if (!hasRoom(origin ?? "")) {
        bridge.access.foundNoPlace(origin ?? "");
        return refuse("503 Service Unavailable");
      }
    } catch (error) {
      bridge.log.error({ err: error }, "connection refused: the configuration cannot be read");
      return refuse("503 Service Unavailable");
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      ws.on("error", (error) => bridge.log.debug({ err: error }, "connection broke"));
      let closing = false;
      const close = (code: number, reason: string) => {
        closing = true;
        ws.close(code, reason);
        setTimeout(() => ws.terminate(), CLOSE_TIMEOUT_MS).unref();
      };
      const flow = backpressure.open(ws, origin ?? "");
      const wire: Wire = {
        send: flow.send,
        get isFull() {
          return flow.isFull;
        },
        drained: flow.drained,
        close,
        pause: flow.pause,
      };
      const session = openSession(bridge, wire, origin);
      const kept = {
        origin: origin ?? "",
        isSilent: true,
        close: () => {
          sessions.delete(session);
          close(NO_TOKEN, "no token in time");
        },
      };
      sessions.set(session, kept);
      /** No more is read while the other side is told. */
      const tooMuch = (reason: string) => {
        flow.stop();
        close(TRY_AGAIN_LATER, reason);
      };
      let isAuthenticated = false;
      unfinished.follow(socket, origin ?? "", {
        onPiece: (frames, most) => {
          flow.arrived(frames);
          // Until a token was shown, a frame must be small.
          if (most <= limits.unauthenticatedFrameBytes) return;
          isAuthenticated ||= session.authenticated;
          if (isAuthenticated) return;
          if (closing) return ws.terminate();
          session.tooLarge(limits.unauthenticatedFrameBytes);
          close(TOO_LARGE, "frame too large");
        },
        onFull: () => tooMuch("too much of this origin arrives at a time"),
        isPaused: () => ws.isPaused,
      });
      const deadline = setTimeout(() => close(NO_FIRST_FRAME, "no frame in time"), limits.firstFrameMs);
      deadline.unref();
      const receive = (data: Buffer, isBinary: boolean) => {
        const bytes = isBinary ? NO_TEXT : data;
        const { frameBytes } = bridge.limits;
        if (data.length > frameBytes) return session.tooLarge(frameBytes);
        void session.receive(bytes);
      };
      ws.on("message", (data, isBinary) => {
        clearTimeout(deadline);
        kept.isSilent = false;
        if (closing) return;
        const isTaken = flow.receive(() => {
          if (!closing) receive(data as Buffer, isBinary);
        });
        if (!isTaken) tooMuch("too many frames at a time");
      });
      ws.on("ping", flow.pong);
      ws.on("close", () => {
        clearTimeout(deadline);
        const end = () => {
          sessions.delete(session);
          session.close();
          flow.close();
        };
        // A page may print and close at once. It counts among the connections until what it sent is handled. Who has
        // shown no token prints nothing, and could come again and again with frames that take turns from others.
        if (closing || !session.authenticated) end();
        else flow.end(end);
      });
    });
  });

  return {
    close: () => {
      for (const session of sessions.keys()) session.close();
      for (const ws of server.clients) ws.close(GOING_AWAY, "the bridge is stopping");
      server.close();
    },
  };
}
