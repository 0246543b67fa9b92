import { addressOf, lastError, libc, MSG_DONTWAIT } from "./libc.ts";

/** Layout of struct mmsghdr, iovec and the largest socket address used here, on 64-bit Linux. */
const HEADER = 64;
const IOVEC = 16;
export const NAME = 32;
const AT = { name: 0, nameLength: 8, iovec: 16, iovecCount: 24, length: 56 } as const;

/** Room for a batch of datagrams, each with its address, as recvmmsg and sendmmsg want it. */
export class MessageVector {
  readonly capacity: number;
  readonly slot: number;
  readonly payload: Buffer;
  readonly names: Buffer;
  readonly #headers: Buffer;
  readonly #iovecs: Buffer;

  constructor(capacity: number, slot: number) {
    this.capacity = capacity;
    this.slot = slot;
    // Not from Node's pool: the addresses in the headers must stay good.
    this.payload = Buffer.from(new ArrayBuffer(capacity * slot));
    this.names = Buffer.from(new ArrayBuffer(capacity * NAME));
    this.#headers = Buffer.from(new ArrayBuffer(capacity * HEADER));
    this.#iovecs = Buffer.from(new ArrayBuffer(capacity * IOVEC));
    const payload = addressOf(this.payload);
    const names = addressOf(this.names);
    const iovecs = addressOf(this.#iovecs);
    for (let i = 0; i < capacity; i++) {
      this.#iovecs.writeBigUInt64LE(payload + BigInt(i * slot), i * IOVEC);
      this.#iovecs.writeBigUInt64LE(BigInt(slot), i * IOVEC + 8);
      this.#headers.writeBigUInt64LE(names + BigInt(i * NAME), i * HEADER + AT.name);
      this.#headers.writeUInt32LE(NAME, i * HEADER + AT.nameLength);
      this.#headers.writeBigUInt64LE(iovecs + BigInt(i * IOVEC), i * HEADER + AT.iovec);
      this.#headers.writeBigUInt64LE(1n, i * HEADER + AT.iovecCount);
    }
  }

  /** Takes what is waiting, into the slots from `from` on; answers how many. */
  receive(fd: number, from: number): number {
    const room = this.capacity - from;
    if (room === 0) return 0;
    for (let i = from; i < this.capacity; i++) this.#headers.writeUInt32LE(NAME, i * HEADER + AT.nameLength);
    const got = libc().recvmmsg(fd, this.#headers.subarray(from * HEADER), room, MSG_DONTWAIT, null);
    return Math.max(got, 0);
  }

  length(i: number): number {
    return this.#headers.readUInt32LE(i * HEADER + AT.length);
  }

  bytes(i: number): Uint8Array {
    return this.payload.subarray(i * this.slot, i * this.slot + Math.min(this.length(i), this.slot));
  }

  /** Says how much of a slot is to be sent, and how long its address is. */
  fill(i: number, length: number, nameLength: number): void {
    this.#iovecs.writeUInt32LE(length, i * IOVEC + 8);
    this.#headers.writeUInt32LE(nameLength, i * HEADER + AT.nameLength);
  }

  /** Sends the first `count` slots; one that cannot be sent is told and left out. */
  send(fd: number, count: number, onError: (slot: number, code: string) => void): void {
    for (let from = 0; from < count; ) {
      const sent = libc().sendmmsg(fd, this.#headers.subarray(from * HEADER), count - from, 0);
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
