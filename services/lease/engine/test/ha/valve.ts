import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** Stands between two nodes, and cuts or holds back what goes through it. */
export interface Valve {
  readonly host: string;
  readonly port: number;
  /** Ends all connections; new ones are refused until `open`. */
  shut(): void;
  open(): void;
  /** Ends all connections; new ones are made at once. */
  cut(): void;
  /** Nothing that the primary says arrives, and nobody is told, until `flow`. */
  stall(): void;
  flow(): void;
}

export async function valve(
  t: TestContext,
  options: { readonly port: number; readonly to: { host: string; port: number }; readonly from: string },
): Promise<Valve> {
  const { port, to, from } = options;
  const pairs = new Set<{ client: Socket; upstream: Socket }>();
  let isShut = false;
  let isStalled = false;
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect({ ...to, localAddress: from });
    const pair = { client, upstream };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.on("error", () => {});
      socket.once("close", () => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
    if (isStalled) upstream.unpipe(client).pause();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const { client } of pairs) client.destroy();
  };
  t.after(() => {
    server.close();
    cut();
  });
  return {
    host: "127.0.0.1",
    port,
    cut,
    shut: () => {
      isShut = true;
      cut();
    },
    open: () => {
      isShut = false;
    },
    stall: () => {
      isStalled = true;
      for (const { client, upstream } of pairs) upstream.unpipe(client).pause();
    },
    flow: () => {
      isStalled = false;
      for (const { client, upstream } of pairs) upstream.pipe(client);
    },
  };
}
