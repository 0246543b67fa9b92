import { readFile } from "node:fs/promises";
import { isIPv4, type Socket } from "node:net";

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * How many bytes of a connection the other side has not acknowledged, by Linux's own table; undefined on
 * systems that do not tell.
 */
export async function unacknowledgedBytes(socket: Socket): Promise<number | undefined> {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (process.platform !== "linux" || !localAddress || !localPort || !remoteAddress || !remotePort)
    return undefined;
  const tables = await Promise.all(
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const local = { address: localAddress, port: localPort };
  return queuedBytes(tables.join("\n"), local, { address: remoteAddress, port: remotePort });
}

/** `sl local_address rem_address st tx_queue:rx_queue …`, all in hexadecimal, addresses as `ip:port`. */
export function queuedBytes(table: string, local: Endpoint, remote: Endpoint): number | undefined {
  const [here, there] = [written(local), written(remote)];
  for (const line of table.split("\n")) {
    const [, from = "", to = "", , queues = ""] = line.trim().split(/\s+/);
    if (from !== here || to !== there) continue;
    const bytes = Number.parseInt(queues.split(":")[0] ?? "", 16);
    return Number.isNaN(bytes) ? undefined : bytes;
  }
  return undefined;
}

/** An endpoint as the table writes it: 32 bits at a time, in the order that this machine keeps them in. */
function written({ address, port }: Endpoint): string {
  const bytes = isIPv4(address) ? address.split(".").map(Number) : ipv6Bytes(address);
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    text += Buffer.from(LITTLE_ENDIAN ? word.reverse() : word).toString("hex");
  }
  return `${text}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function ipv6Bytes(address: string): number[] {
  // The URL parser writes every form of an address in one, without its zone and without dotted parts.
  const host = new URL(`http://[${address.split("%")[0]}]`).hostname.slice(1, -1);
  const [head = "", tail] = host.split("::");
  const words = (text: string) => (text ? text.split(":").map((word) => Number.parseInt(word, 16)) : []);
  const [before, after] = [words(head), words(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]);
}
