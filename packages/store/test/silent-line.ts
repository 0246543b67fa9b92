import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** A line to a server on which nothing more comes through once it is silenced, not even that an end hangs up. */
export async function silentLine(t: TestContext, target: URL) {
  let silent = false;
  const swallowed = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (silent) swallowed.resolve();
        else to.write(chunk);
      });
      from.on("end", () => void (silent || to.end()));
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url,
    silence: () => (silent = true),
    speak: () => (silent = false),
    /** When something was said that did not come through. */
    swallowed: swallowed.promise,
  };
}
