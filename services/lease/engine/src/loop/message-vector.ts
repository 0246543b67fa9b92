import { readU32, writeU32 } from "@frontdesk/lease-options/address";
import {
  addressOf,
  IP_PKTINFO,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_PKTINFO,
  lastError,
  libc,
  MSG_DONTWAIT,
} from "./libc.ts";

/** Layout of struct mmsghdr, iovec and the largest socket address used here, on 64-bit Linux. */
const HEADER = 64;
const IOVEC = 16;
const AT_IOVEC = { length: 8 } as const;
export const NAME = 32;
/** The lengths, levels and types in them are words of 32 bits of the machine. */
const WORD = 4;
const AT = {
  name: 0,
  nameLength: 8,
  iovec: 16,
  iovecCount: 24,
  control: 32,
  controlLength: 40,
  length: 56,
} as const;
/** A struct cmsghdr with a struct in_pktinfo: which of our addresses a packet came to, or leaves from. */
const CONTROL = 64;
const PKTINFO_SPACE = 32;
const PKTINFO = { length: 0, level: 8, type: 12, from: 20, to: 24 } as const;
/** The same with a struct in6_pktinfo. */
const PKTINFO6 = { to: 16 } as const;
/** RFC 4291 section 2.7: the first octet of a group. */
const MULTICAST6 = 0xff;

/** Room for a batch of datagrams, each with its address, as recvmmsg and sendmmsg want it. */
export class MessageVector {
  readonly capacity: number;
  readonly slot: number;
  readonly payload: Buffer;
  readonly names: Buffer;
  readonly #headers: Buffer;
  readonly #iovecs: Buffer;
  readonly #controls: Buffer;
  /** The same as words, which take a quarter of the time of a method of Buffer for each field. */
  readonly #headerWords: Uint32Array;
  readonly #controlWords: Uint32Array;
  readonly #iovecWords: Uint32Array;
  /** Slots in which the system has written lengths since they were last made ready; all of them at first. */
  #used: number;

  constructor(capacity: number, slot: number) {
    this.capacity = capacity;
    this.slot = slot;
    this.#used = capacity;
    // Not from Node's pool: the addresses in the headers must stay good.
    this.payload = Buffer.from(new ArrayBuffer(capacity * slot));
    this.names = Buffer.from(new ArrayBuffer(capacity * NAME));
    this.#headers = Buffer.from(new ArrayBuffer(capacity * HEADER));
    this.#iovecs = Buffer.from(new ArrayBuffer(capacity * IOVEC));
    this.#controls = Buffer.from(new ArrayBuffer(capacity * CONTROL));
    this.#headerWords = new Uint32Array(this.#headers.buffer);
    this.#controlWords = new Uint32Array(this.#controls.buffer);
    this.#iovecWords = new Uint32Array(this.#iovecs.buffer);
    const payload = addressOf(this.payload);
    const names = addressOf(this.names);
    const iovecs = addressOf(this.#iovecs);
    const controls = addressOf(this.#controls);
    for (let i = 0; i < capacity; i++) {
      this.#iovecs.writeBigUInt64LE(payload + BigInt(i * slot), i * IOVEC);
      this.#iovecs.writeBigUInt64LE(BigInt(slot), i * IOVEC + 8);
      this.#headers.writeBigUInt64LE(names + BigInt(i * NAME), i * HEADER + AT.name);
      this.#headers.writeBigUInt64LE(iovecs + BigInt(i * IOVEC), i * HEADER + AT.iovec);
      this.#headers.writeBigUInt64LE(1n, i * HEADER + AT.iovecCount);
      this.#headers.writeBigUInt64LE(controls + BigInt(i * CONTROL), i * HEADER + AT.control);
    }
  }

  /**
   * Takes at most `most` of what is waiting, into the slots from `from` on; answers how many. From the first slot on, it
   * is another round.
   */
  receive(fd: number, from: number, most: number): number {
    const room = Math.min(this.capacity - from, most);
    if (room <= 0) return 0;
    if (from === 0) this.#makeReady();
    const got = libc().recvmmsg(fd, this.#headers.subarray(from * HEADER), room, MSG_DONTWAIT, null);
    this.#used = Math.max(this.#used, from + got);
    return Math.max(got, 0);
  }

  #makeReady(): void {
    for (let i = 0; i < this.#used; i++) {
      this.#headerWords[(i * HEADER + AT.nameLength) / WORD] = NAME;
      this.#headerWords[(i * HEADER + AT.controlLength) / WORD] = CONTROL;
    }
    this.#used = 0;
  }

  /** The address a packet was sent to; 0 when the system does not say. */
  sentTo(i: number): number {
    const told = this.#tells(i, PKTINFO.to + 4, IPPROTO_IP, IP_PKTINFO);
    return told ? readU32(this.#controls, i * CONTROL + PKTINFO.to) : 0;
  }

  /** Whether a packet of IPv6 was sent to one address, and not to a group. */
  isSentToOne6(i: number): boolean {
    const told = this.#tells(i, PKTINFO6.to + 16, IPPROTO_IPV6, IPV6_PKTINFO);
    return told && this.#controls[i * CONTROL + PKTINFO6.to] !== MULTICAST6;
  }

  /** Whether the system has said this of a packet. */
  #tells(i: number, length: number, level: number, type: number): boolean {
    return (
      (this.#headerWords[(i * HEADER + AT.controlLength) / WORD] as number) >= length &&
      this.#controlWords[(i * CONTROL + PKTINFO.level) / WORD] === level &&
      this.#controlWords[(i * CONTROL + PKTINFO.type) / WORD] === type
    );
  }

  length(i: number): number {
    return this.#headerWords[(i * HEADER + AT.length) / WORD] as number;
  }

  bytes(i: number): Uint8Array {
    // Not as a Buffer: all that is cut out of the packet would be one, and takes twice as long to make.
    return new Uint8Array(this.payload.buffer, i * this.slot, Math.min(this.length(i), this.slot));
  }

  /** Says how much of a slot is to be sent, how long its address is, and from which of our addresses; 0: any. */
  fill(i: number, length: number, nameLength: number, source: number): void {
    this.#iovecWords[(i * IOVEC + AT_IOVEC.length) / WORD] = length;
    this.#headerWords[(i * HEADER + AT.nameLength) / WORD] = nameLength;
    this.#headerWords[(i * HEADER + AT.controlLength) / WORD] = source === 0 ? 0 : PKTINFO_SPACE;
    if (source === 0) return;
    const at = i * CONTROL;
    // All else of it is zero and stays so: a vector either sends or receives.
    this.#controlWords[(at + PKTINFO.length) / WORD] = PKTINFO.to + 4;
    this.#controlWords[(at + PKTINFO.level) / WORD] = IPPROTO_IP;
    this.#controlWords[(at + PKTINFO.type) / WORD] = IP_PKTINFO;
    writeU32(this.#controls, at + PKTINFO.from, source);
  }

  /** Sends the first `count` slots; one that cannot be sent at once is told and left out. */
  send(fd: number, count: number, onError: (slot: number, code: string) => void): void {
    for (let from = 0; from < count; ) {
      const sent = libc().sendmmsg(fd, this.#headers.subarray(from * HEADER), count - from, MSG_DONTWAIT);
      if (sent > 0) from += sent;
      else {
        const code = lastError();
        if (code === "EINTR") continue;
        onError(from, code);
        from++;
      }
    }
  }
}
