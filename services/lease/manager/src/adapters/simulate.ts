import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readU32, textBytes, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";

const OPTIONS = 240;
const MAGIC = 0x63825363;
const END = 255;
/** How long each sending of a message is waited for: twice as long each time (RFC 2131 section 4.1), but sooner than a device. */
const WAITS_MS = [1_000, 2_000, 4_000];
const AT_ONCE = 64;
const NAMES = ["reception", "scanner", "phone", "laptop", "printer", "camera", "badge-reader", "display"];

interface Reply {
  readonly type: number;
  readonly address: number;
  readonly server: Uint8Array;
}

/** Clients that take an address each (RFC 2131, the four messages) from a server in the lab. */
export async function simulate(
  listen: string,
  clients: number,
): Promise<{ leases: number; refused: number; silent: number }> {
  const at = listen.lastIndexOf(":");
  const [host, port] = [listen.slice(0, at).replace(/^\[|\]$/g, ""), Number(listen.slice(at + 1))];
  const socket = createSocket({
    type: host.includes(":") ? "udp6" : "udp4",
    recvBufferSize: 4 * 1024 * 1024,
  });
  socket.bind();
  await once(socket, "listening");
  const ask = asker(socket, host, port);
  const told = { leases: 0, refused: 0, silent: 0 };
  let next = 0;
  const run = async () => {
    while (next < clients) {
      const number = next++;
      const mac = hardwareAddress(number);
      const name = textBytes(`${NAMES[number % NAMES.length]}-${number + 1}`);
      const hello: Array<[number, Uint8Array]> = [[CODE.hostName, name]];
      const offer = await ask(TYPE.discover, mac, hello);
      const answer =
        offer?.type === TYPE.offer
          ? await ask(TYPE.request, mac, [
              ...hello,
              [CODE.requestedAddress, u32Bytes(offer.address)],
              [CODE.serverIdentifier, offer.server],
            ])
          : offer;
      if (!answer) told.silent++;
      else if (answer.type === TYPE.ack) told.leases++;
      else told.refused++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, clients) }, run));
  socket.close();
  return told;
}

/** Locally administered, and the same for the same number: who runs it twice renews. */
const hardwareAddress = (number: number) => Uint8Array.of(2, 0xfd, 0, ...u32Bytes(number).subarray(1));

/** One message, sent again while no reply comes, and its reply; undefined where none comes. */
function asker(socket: Socket, host: string, port: number) {
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.on("message", (bytes) => {
    if (bytes.length >= OPTIONS) waiting.get(readU32(bytes, 4))?.(readReply(bytes));
  });
  let last = randomInt(2 ** 31);
  return (
    type: number,
    mac: Uint8Array,
    options: Array<[number, Uint8Array]>,
  ): Promise<Reply | undefined> => {
    const transaction = ++last >>> 0;
    const bytes = message(type, transaction, mac, options);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      const finish = (reply?: Reply) => {
        clearTimeout(timer);
        waiting.delete(transaction);
        resolve(reply);
      };
      const send = ([wait, ...waits]: readonly number[]) => {
        if (wait === undefined) return finish();
        socket.send(bytes, port, host, () => {});
        timer = setTimeout(send, wait, waits);
      };
      waiting.set(transaction, finish);
      send(WAITS_MS);
    });
  };
}

function message(
  type: number,
  transaction: number,
  mac: Uint8Array,
  options: ReadonlyArray<readonly [number, Uint8Array]>,
): Uint8Array {
  const area = [[CODE.messageType, Uint8Array.of(type)] as const, ...options].flatMap(([code, value]) => [
    code,
    value.length,
    ...value,
  ]);
  const bytes = new Uint8Array(OPTIONS + area.length + 1);
  // A request, over Ethernet, with a hardware address of six octets.
  bytes.set([1, 1, 6, 0]);
  writeU32(bytes, 4, transaction);
  bytes.set(mac, 28);
  writeU32(bytes, OPTIONS - 4, MAGIC);
  bytes.set([...area, END], OPTIONS);
  return bytes;
}

function readReply(bytes: Uint8Array): Reply {
  const options = new Map<number, Uint8Array>();
  for (let at = OPTIONS; at + 1 < bytes.length && bytes[at] !== END; ) {
    // A pad has no length.
    if (bytes[at] === 0) {
      at++;
      continue;
    }
    const length = bytes[at + 1] as number;
    options.set(bytes[at] as number, bytes.slice(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return {
    type: options.get(CODE.messageType)?.[0] ?? 0,
    address: readU32(bytes, 16),
    server: options.get(CODE.serverIdentifier) ?? new Uint8Array(4),
  };
}
