import type { Server } from "node:http";
import { WebSocketServer } from "ws";
import type { Bridge } from "../protocol/bridge.ts";
import { openSession } from "../protocol/session.ts";

const MOST_SESSIONS = 500;
/** What may wait for a page that does not read; past that it has to connect again and catch up. */
const MOST_UNREAD = 32 * 1024 * 1024;
const GOING_AWAY = 1001;
const TRY_AGAIN = 1013;

/** The protocol's door: `/ws`, one session for each connection. */
export function serveWebSockets(http: Server, bridge: Bridge, isOurs: (host: string | undefined) => boolean) {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // A frame a little over the limit is still read, so that its sender can be told.
    maxPayload: bridge.limits.frameBytes * 2,
  });

  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const path = request.url?.split("?")[0];
    if (!isOurs(request.headers.host))
      return void socket.end("HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\n\r\n");
    if (path !== "/ws") return void socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
    server.handleUpgrade(request, socket, head, (ws) => {
      if (server.clients.size > MOST_SESSIONS) return ws.close(TRY_AGAIN, "too many connections");
      const wire = {
        send: (text: string) => {
          if (ws.readyState !== ws.OPEN) return;
          if (ws.bufferedAmount > MOST_UNREAD) return ws.terminate();
          ws.send(text);
        },
        close: (code: number, reason: string) => ws.close(code, reason),
      };
      const session = openSession(bridge, wire, request.headers.origin);
      ws.on("message", (data, isBinary) => {
        const text = isBinary ? "" : data.toString();
        if (Buffer.byteLength(text) > bridge.limits.frameBytes) return session.tooLarge();
        void session.receive(text);
      });
      ws.on("close", () => session.close());
      ws.on("error", (error) => bridge.log.debug({ err: error }, "a connection broke"));
    });
  });

  return {
    close: () => {
      for (const ws of server.clients) ws.close(GOING_AWAY, "the bridge is stopping");
      server.close();
    },
  };
}
