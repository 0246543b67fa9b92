import { connect, type Socket } from "node:net";

export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Keeps so many connections busy for so long, one request after the other on each. Requests are
 * ready-made bytes and replies are only looked at as far as their length needs, so that on a small
 * machine the load costs as little as it can.
 */
export async function load(options: {
  port: number;
  connections: number;
  ms: number;
  request: (i: number) => string;
}): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  let next = 0;
  let done = 0;
  const startedAt = performance.now();
  const deadline = startedAt + options.ms;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket: Socket = connect(options.port, "127.0.0.1", () => socket.write(options.request(next++)));
      socket.setNoDelay(true);
      let rest = "";
      socket.on("data", (chunk) => {
        rest += chunk.toString("latin1");
        const head = rest.indexOf("\r\n\r\n");
        if (head === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0);
        if (rest.length < head + 4 + length) return;
        const status = rest.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        rest = rest.slice(head + 4 + length);
        done++;
        if (performance.now() < deadline) socket.write(options.request(next++));
        else socket.end();
      });
      socket.on("close", () => resolve());
      socket.on("error", reject);
    });
  await Promise.all(Array.from({ length: options.connections }, one));
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: done / seconds, requests: done, statuses };
}

export function httpRequest(method: string, path: string, token: string | undefined, body?: object): string {
  const text = body ? JSON.stringify(body) : "";
  return [
    `${method} ${path} HTTP/1.1`,
    "host: bench",
    ...(token ? [`authorization: Bearer ${token}`] : []),
    ...(body ? ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`] : []),
    "",
    text,
  ].join("\r\n");
}
