import { existsSync } from "node:fs";

/** Where CUPS's socket is: Debian and most others, macOS, older systems. */
const SOCKETS = ["/run/cups/cups.sock", "/private/var/run/cupsd", "/var/run/cups/cups.sock"];

export interface CupsAddress {
  /** ipp:// or ipps:// as the queue is called. */
  readonly uri: string;
  /** The socket of this machine to speak over, where it is one. */
  readonly socketPath?: string;
}

/**
 * Where a queue of CUPS is, or CUPS itself where no queue is named. CUPS's own tools read the same variable:
 * a socket, or `host[:port][/version=1.1]`; without it CUPS is at its socket on this machine.
 */
export function cupsAddress(queue?: string, server = process.env.CUPS_SERVER): CupsAddress {
  const path = queue === undefined ? "/" : `/printers/${encodeURIComponent(queue)}`;
  if (server && !server.startsWith("/")) {
    const host = server.replace(/\/version=[\d.]+$/, "");
    return { uri: `ipp://${host}${path}` };
  }
  const socketPath = server || (SOCKETS.find((socket) => existsSync(socket)) ?? (SOCKETS[0] as string));
  return { uri: `ipp://localhost${path}`, socketPath };
}
