import {
  libc,
  must,
  POLLIN,
  SO_RCVBUFFORCE,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  setOption,
} from "../../services/lease/engine/src/loop/libc.ts";
import { MessageVector, NAME } from "../../services/lease/engine/src/loop/message-vector.ts";

const SLOTS = 512;
const MAX_RECEIVED = 1536;
const MAX_SENT = 600;

/** A UDP socket that sends many datagrams to one server at once, and takes many replies at once. */
export class LoadSocket {
  readonly #fd: number;
  readonly #nameLength: number;
  readonly #incoming = new MessageVector(SLOTS, MAX_RECEIVED);
  readonly #outgoing = new MessageVector(SLOTS, MAX_SENT);
  readonly #poll = Buffer.from(new ArrayBuffer(8));
  #filled = 0;

  /** Both are a struct sockaddr of the family. */
  constructor(family: number, own: Buffer, server: Buffer) {
    this.#fd = must("socket", libc().socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    setOption(this.#fd, SO_RCVBUFFORCE, 16 * 1024 * 1024);
    must("bind", libc().bind(this.#fd, own, own.length));
    this.#nameLength = server.length;
    for (let i = 0; i < SLOTS; i++) server.copy(this.#outgoing.names, i * NAME);
    this.#poll.writeInt32LE(this.#fd, 0);
    this.#poll.writeInt16LE(POLLIN, 4);
  }

  /** Puts a copy into the next slot, sent with the next flush; answers with where it may still be changed. */
  put(bytes: Uint8Array): Buffer {
    if (this.#filled === SLOTS) this.flush();
    const at = this.#filled * this.#outgoing.slot;
    this.#outgoing.payload.set(bytes, at);
    this.#outgoing.fill(this.#filled++, bytes.length, this.#nameLength, 0);
    return this.#outgoing.payload.subarray(at, at + bytes.length);
  }

  flush(): void {
    this.#outgoing.send(this.#fd, this.#filled, () => {});
    this.#filled = 0;
  }

  wait(milliseconds: number): void {
    libc().poll(this.#poll, 1, milliseconds);
  }

  receive(hear: (bytes: Uint8Array) => void): void {
    const got = this.#incoming.receive(this.#fd, 0, SLOTS);
    for (let i = 0; i < got; i++) hear(this.#incoming.bytes(i));
  }
}
