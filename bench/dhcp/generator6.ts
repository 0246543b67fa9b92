import { parseIpv6 } from "@frontdesk/lease-options/address";
import { INET6_NAME, indexOf, writeInet6Name } from "../../services/lease/engine/src/loop/device-socket.ts";
import { AF_INET6 } from "../../services/lease/engine/src/loop/libc.ts";
import { drive } from "./drive.ts";
import { LoadSocket } from "./load-socket.ts";

/**
 * Many clients on one link, in one process: begins `rate` exchanges of four messages a second for `seconds`, and tells
 * how many ended and how long they took. With `renew`, an exchange is a client that has its lease and renews it.
 */
const [device, rate, seconds, first, kind, asks, renewing] = process.argv.slice(2) as [
  device: string,
  rate: string,
  seconds: string,
  first: string,
  kind: "new" | "renew",
  asks: "address-only" | "prefix-only" | "address-and-prefix",
  renewing: string,
];
const RENEWING_GET_THEIRS_AT = 1500;
const TYPE = { solicit: 1, advertise: 2, request: 3, renew: 5, reply: 7 } as const;
const OPTION = {
  clientId: 1,
  serverId: 2,
  iaNa: 3,
  optionRequest: 6,
  iaAddress: 5,
  elapsed: 8,
  iaPd: 25,
  iaPrefix: 26,
} as const;
const HEADER = 4;
/** Where the options of an IA begin: after its header, IAID, T1 and T2. */
const IN_IA = 16;
/** The hardware address at the end of a DUID-LL of Ethernet; its last four octets are the client's number. */
const CLIENT_AT = HEADER + 4 + 6;

const name = (address: string, port: number) => {
  const written = Buffer.alloc(INET6_NAME);
  writeInet6Name(written, 0, parseIpv6(address) as bigint, port, indexOf(device));
  return written;
};
const socket = new LoadSocket(AF_INET6, name("::", 546), name("ff02::1:2", 547));

const option = (code: number, ...octets: number[]) => [
  code >> 8,
  code & 255,
  octets.length >> 8,
  octets.length & 255,
  ...octets,
];
const clientId = option(OPTION.clientId, 0, 3, 0, 1, 2, 0, 0, 0, 0, 0);
const asked = [...option(OPTION.optionRequest, 0, 23, 0, 24), ...option(OPTION.elapsed, 0, 0)];
const wanted = [
  ...(asks === "prefix-only" ? [] : option(OPTION.iaNa, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)),
  ...(asks === "address-only" ? [] : option(OPTION.iaPd, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)),
];
const solicit = Uint8Array.from([TYPE.solicit, 0, 0, 0, ...clientId, ...asked, ...wanted]);
const begun = Uint8Array.from([TYPE.request, 0, 0, 0, ...clientId, ...asked]);
/** A REQUEST or a RENEW has as much more as the server gave: who it is, and the IAs. */
const message = new Uint8Array(600);

function put(bytes: Uint8Array, xid: number, client: number): void {
  const sent = socket.put(bytes);
  sent.writeUIntBE(xid & 0xffffff, 1, 3);
  sent.writeUInt32BE(client, CLIENT_AT + 2);
}

const u16 = (bytes: Uint8Array, at: number) => ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
const xidOf = (reply: Uint8Array) => ((reply[1] as number) << 16) | u16(reply, 2);

/** Calls with each option, its header included. */
function eachOption(reply: Uint8Array, take: (code: number, option: Uint8Array) => void): void {
  for (let at = HEADER; at + 4 <= reply.length; ) {
    const end = at + 4 + u16(reply, at + 2);
    take(u16(reply, at), reply.subarray(at, end));
    at = end;
  }
}

/** A message with what a reply gave, for its client. */
function taken(type: number, reply: Uint8Array): Uint8Array {
  message.set(begun);
  message[0] = type;
  let length = begun.length;
  eachOption(reply, (code, bytes) => {
    if (code !== OPTION.serverId && code !== OPTION.iaNa && code !== OPTION.iaPd) return;
    message.set(bytes, length);
    length += bytes.length;
  });
  return message.subarray(0, length);
}

/** Whether each IA of a reply begins with an address or a prefix. */
function isGiven(reply: Uint8Array): boolean {
  let given = 0;
  eachOption(reply, (code, bytes) => {
    const isIa = code === OPTION.iaNa || code === OPTION.iaPd;
    if (
      isIa &&
      bytes.length > IN_IA &&
      u16(bytes, IN_IA) === (code === OPTION.iaNa ? OPTION.iaAddress : OPTION.iaPrefix)
    )
      given++;
  });
  return given === (asks === "address-and-prefix" ? 2 : 1);
}

/** Each exchange has a transaction id of its own, of 24 bits, from `from` on. */
function run(
  from: number,
  count: number,
  perSecond: number,
  begin: (xid: number) => void,
  granted: (n: number, reply: Uint8Array) => void = () => {},
) {
  return drive({
    socket,
    count,
    perSecond,
    begin: (n) => begin(from + n),
    hear: (reply) => {
      const n = (xidOf(reply) - from) & 0xffffff;
      if (!isGiven(reply)) return { n, outcome: "refused" };
      if (reply[0] === TYPE.advertise) {
        put(taken(TYPE.request, reply), from + n, from + n);
        return { n, outcome: "offered" };
      }
      granted(n, reply);
      return { n, outcome: "done" };
    },
  });
}

const solicitFrom = (xid: number) => put(solicit, xid, xid);
const base = Number(first);
const count = Math.ceil(Number(rate) * Number(seconds));
if (kind === "renew") {
  const renewals = new Map<number, Uint8Array>();
  run(base, Number(renewing), RENEWING_GET_THEIRS_AT, solicitFrom, (n, reply) => {
    renewals.set(n, taken(TYPE.renew, reply).slice());
  });
  const holders = [...renewals];
  const renew = (xid: number) => {
    const [n, bytes] = holders[xid % holders.length] as [number, Uint8Array];
    put(bytes, xid, base + n);
  };
  console.log(JSON.stringify(run(base + Number(renewing), count, Number(rate), renew)));
} else console.log(JSON.stringify(run(base, count, Number(rate), solicitFrom)));
