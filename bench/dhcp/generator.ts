import { readU32, u32Bytes, writeU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { decodeMessage, encodeMessage } from "../../services/lease/engine/src/dhcp4/message.ts";
import { inetName, writeInetName } from "../../services/lease/engine/src/loop/device-socket.ts";
import {
  AF_INET,
  libc,
  must,
  POLLIN,
  SO_RCVBUFFORCE,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  setOption,
} from "../../services/lease/engine/src/loop/libc.ts";
import { MessageVector, NAME } from "../../services/lease/engine/src/loop/message-vector.ts";

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
const SLOTS = 512;
const DRAIN_MS = 1000;
const address = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const fd = must("socket", libc().socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
setOption(fd, SO_RCVBUFFORCE, 16 * 1024 * 1024);
must("bind", libc().bind(fd, inetName(address(own), 67), 16));
const incoming = new MessageVector(SLOTS, 1536);
const outgoing = new MessageVector(SLOTS, 600);
for (let i = 0; i < SLOTS; i++) writeInetName(outgoing.names, i * NAME, address(server), 67);
const pollSet = Buffer.from(new ArrayBuffer(8));
pollSet.writeInt32LE(fd, 0);
pollSet.writeInt16LE(POLLIN, 4);

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

let filled = 0;
function put(bytes: Uint8Array, xid: number, client: number): number {
  if (filled === SLOTS) flush();
  const at = filled * outgoing.slot;
  outgoing.payload.set(bytes, at);
  writeU32(outgoing.payload, at + 4, xid);
  writeU32(outgoing.payload, at + 30, client);
  outgoing.fill(filled, bytes.length, 16, 0);
  filled++;
  return at;
}
function flush(): void {
  outgoing.send(fd, filled, () => {});
  filled = 0;
}

const base = Number(first);
if (kind === "renew") {
  const addresses = new Uint32Array(Number(renewing));
  drive(base, Number(renewing), RENEWING_GET_THEIRS_AT, discoverFrom, (n, address) => {
    addresses[n] = address;
  });
  const holders = Array.from(addresses.entries()).filter(([, address]) => address !== 0);
  const renew = (xid: number) => {
    const [n, address] = holders[xid % holders.length] as [number, number];
    writeU32(outgoing.payload, put(renewal, xid, base + n) + 12, address);
  };
  tell(drive(base + Number(renewing), Math.ceil(Number(rate) * Number(seconds)), Number(rate), renew));
} else tell(drive(base, Math.ceil(Number(rate) * Number(seconds)), Number(rate), discoverFrom));

function discoverFrom(xid: number): void {
  put(discover, xid, xid);
}

/** Begins exchanges at a rate, each under a transaction id of its own, and goes on with them until all ended or time is up. */
function drive(
  from: number,
  count: number,
  perSecond: number,
  begin: (xid: number) => void,
  granted: (n: number, address: number) => void = () => {},
) {
  const begunAt = new Float64Array(count);
  const delays: number[] = [];
  let [begun, offers, naks] = [0, 0, 0];

  const hear = () => {
    const got = incoming.receive(fd, 0, SLOTS);
    for (let i = 0; i < got; i++) {
      const message = decodeMessage(incoming.bytes(i));
      if ("malformed" in message) continue;
      const n = message.xid - from;
      if (n < 0 || n >= begun) continue;
      if (message.type === TYPE.offer) {
        offers++;
        const at = put(request, message.xid, message.xid);
        writeU32(outgoing.payload, at + 245, message.yiaddr);
        writeU32(outgoing.payload, at + 251, readU32(message.options.get(CODE.serverIdentifier) ?? zero, 0));
      } else if (message.type === TYPE.ack) {
        delays.push(performance.now() - (begunAt[n] as number));
        granted(n, message.yiaddr);
      } else if (message.type === TYPE.nak) naks++;
    }
    flush();
  };

  const startedAt = performance.now();
  const planned = (count / perSecond) * 1000;
  for (;;) {
    const elapsed = performance.now() - startedAt;
    const due = Math.min(count, Math.floor((elapsed / 1000) * perSecond));
    for (let n = 0; begun < due && n < 256; n++) {
      begunAt[begun] = performance.now();
      begin(from + begun++);
    }
    flush();
    libc().poll(pollSet, 1, begun < due ? 0 : 1);
    hear();
    if (elapsed > planned + DRAIN_MS || delays.length + naks >= count) break;
  }
  const took = Math.min(performance.now() - startedAt, planned) / 1000;
  delays.sort((a, b) => a - b);
  const at = (share: number) =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
  const acks = delays.length;
  return { begun, offers, acks, naks, rate: acks / took, p50: at(0.5), p99: at(0.99) };
}

function tell(outcome: ReturnType<typeof drive>): void {
  console.log(JSON.stringify(outcome));
}
