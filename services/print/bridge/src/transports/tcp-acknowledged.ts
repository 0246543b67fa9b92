import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

/**
 * How many bytes of a connection the other side has not acknowledged, by Linux's own table; undefined on
 * systems that do not tell.
 */
export async function unacknowledgedBytes(socket: Socket): Promise<number | undefined> {
  const { localPort, remotePort } = socket;
  if (process.platform !== "linux" || localPort === undefined || remotePort === undefined) return undefined;
  const tables = await Promise.all(
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  return queuedBytes(tables.join("\n"), localPort, remotePort);
}

/** `sl local_address rem_address st tx_queue:rx_queue …`, all in hexadecimal, addresses as `ip:port`. */
export function queuedBytes(table: string, localPort: number, remotePort: number): number | undefined {
  const port = (number: number) => `:${number.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of table.split("\n")) {
    const [, local = "", remote = "", , queues = ""] = line.trim().split(/\s+/);
    if (!local.endsWith(port(localPort)) || !remote.endsWith(port(remotePort))) continue;
    const bytes = Number.parseInt(queues.split(":")[0] ?? "", 16);
    return Number.isNaN(bytes) ? undefined : bytes;
  }
  return undefined;
}
