import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Below the ports that the system gives to outgoing connections and to `listen(0)`, and below those of the services: a
 * port from there stays free while a service of the test is being started, stopped or restarted.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 30_999;
const COUNT = LAST_PORT - FIRST_PORT + 1;

let offset = Math.floor(Math.random() * COUNT);

/** A port on loopback that nothing listens on, TCP or UDP, and that no other test is given while this one runs. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    offset = (offset + 1) % COUNT;
    const port = FIRST_PORT + offset;
    // Claimed first: looking whether another test's port is free would keep its service from listening.
    if ((await claim(port)) && (await isFree(port))) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening({ port, host: "127.0.0.1" });
  if (!server) return false;
  server.close();
  await once(server, "close");
  const socket = createSocket("udp4").bind(port, "127.0.0.1");
  const isBound = await once(socket, "listening").then(
    () => true,
    () => false,
  );
  socket.close();
  return isBound;
}

/** An abstract socket (unix(7)) per port: the system lets go of it however the test's process ends. */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== "linux") return true;
  const server = await listening({ path: `\0frontdesk-test-port-${port}` });
  server?.unref();
  return server !== undefined;
}

async function listening(where: object): Promise<Server | undefined> {
  const server = createServer();
  server.listen({ ...where, exclusive: true });
  return once(server, "listening").then(
    () => server,
    () => undefined,
  );
}
