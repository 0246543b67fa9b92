import { readU32, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage, encodeMessage } from "../../services/lease/engine/src/dhcp4/message.ts";
import { inetName } from "../../services/lease/engine/src/loop/device-socket.ts";
import { AF_INET } from "../../services/lease/engine/src/loop/libc.ts";
import { drive } from "./drive.ts";
import { LoadSocket } from "./load-socket.ts";

/**
 * A relay with many clients behind it, in one process: begins `rate` exchanges a second for
 * `seconds`, goes on with each as its replies come, and tells how many ended and how long they took.
 * With `renew`, some clients get an address first, and an exchange is one of them renewing it.
 */
const [server, own, rate, seconds, first, kind, renewing] = process.argv.slice(2) as [
  server: string,
  own: string,
  rate: string,
  seconds: string,
  first: string,
  kind: "new" | "renew",
  renewing: string,
];
const RENEWING_GET_THEIRS_AT = 1500;
const address = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const socket = new LoadSocket(AF_INET, inetName(address(own), 67), inetName(address(server), 67));

const EMPTY = new Uint8Array(0);
function template(type: number, more: Array<[number, Uint8Array]>): Uint8Array {
  const out = new Uint8Array(600);
  const header = {
    op: 1,
    htype: 1,
    hlen: 6,
    hops: 1,
    xid: 0,
    secs: 0,
    flags: 0,
    ciaddr: 0,
    yiaddr: 0,
    siaddr: 0,
  };
  const options = new Map([[CODE.messageType, Uint8Array.of(type)], ...more]);
  const chaddr = Uint8Array.of(2, 0, 0, 0, 0, 0);
  const { length } = encodeMessage(
    { ...header, giaddr: address(own), chaddr, sname: EMPTY, file: EMPTY, options, type },
    out,
  );
  return out.slice(0, length);
}
const asked: [number, Uint8Array] = [CODE.parameterRequestList, Uint8Array.of(1, 28, 2, 3, 15, 6, 12)];
const discover = template(TYPE.discover, [asked]);
const zero = u32Bytes(0);
// The two addresses stand right after the message type.
const request = template(TYPE.request, [[CODE.requestedAddress, zero], [CODE.serverIdentifier, zero], asked]);
const renewal = template(TYPE.request, [asked]);

function put(bytes: Uint8Array, xid: number, client: number): Buffer {
  const sent = socket.put(bytes);
  writeU32(sent, 4, xid);
  writeU32(sent, 30, client);
  return sent;
}

/** Each exchange has a transaction id of its own, from `from` on. */
function run(
  from: number,
  count: number,
  perSecond: number,
  begin: (xid: number) => void,
  granted: (n: number, address: number) => void = () => {},
) {
  return drive({
    socket,
    count,
    perSecond,
    begin: (n) => begin(from + n),
    hear: (bytes) => {
      const message = decodeMessage(bytes);
      if ("malformed" in message) return undefined;
      const n = message.xid - from;
      if (message.type === TYPE.nak) return { n, outcome: "refused" };
      if (message.type === TYPE.offer) {
        const sent = put(request, message.xid, message.xid);
        writeU32(sent, 245, message.yiaddr);
        writeU32(sent, 251, readU32(message.options.get(CODE.serverIdentifier) ?? zero, 0));
        return { n, outcome: "offered" };
      }
      granted(n, message.yiaddr);
      return { n, outcome: "done" };
    },
  });
}

const discoverFrom = (xid: number) => void put(discover, xid, xid);
const base = Number(first);
const count = Math.ceil(Number(rate) * Number(seconds));
if (kind === "renew") {
  const addresses = new Uint32Array(Number(renewing));
  run(base, Number(renewing), RENEWING_GET_THEIRS_AT, discoverFrom, (n, address) => {
    addresses[n] = address;
  });
  const holders = Array.from(addresses.entries()).filter(([, address]) => address !== 0);
  const renew = (xid: number) => {
    const [n, address] = holders[xid % holders.length] as [number, number];
    writeU32(put(renewal, xid, base + n), 12, address);
  };
  console.log(JSON.stringify(run(base + Number(renewing), count, Number(rate), renew)));
} else console.log(JSON.stringify(run(base, count, Number(rate), discoverFrom)));
