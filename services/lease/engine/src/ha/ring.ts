/** Where in the header the numbers stand: octets written and octets read so far, modulo 2^32. */
const HEAD = 0;
const TAIL = 1;
const HEADER_OCTETS = 8;
/** Before the octets of a record: how many there are, its kind and its link. */
const RECORD_OCTETS = 12;

export interface RingRecord {
  readonly kind: number;
  readonly link: number;
  readonly octets: Uint8Array;
}

const NONE: Uint8Array = new Uint8Array(0);

/**
 * Records from one thread to another in shared memory: one writer, one reader, and nobody waits for the other. What has
 * no room is not written. A thread with an event loop can await that there is something to read, or room.
 */
export class Ring {
  readonly memory: SharedArrayBuffer;
  readonly #positions: Int32Array;
  readonly #octets: Uint8Array;
  readonly #view: DataView;
  readonly #capacity: number;

  /** Of a ring whose octets are a power of two. */
  static memoryOf(capacity: number): SharedArrayBuffer {
    return new SharedArrayBuffer(HEADER_OCTETS + capacity);
  }

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#positions = new Int32Array(memory, 0, 2);
    this.#octets = new Uint8Array(memory, HEADER_OCTETS);
    this.#view = new DataView(memory, HEADER_OCTETS);
    this.#capacity = this.#octets.length;
  }

  /** Octets that wait to be read. */
  get used(): number {
    return (this.#position(HEAD) - this.#position(TAIL)) >>> 0;
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** By the writer. False: there is no room, and nothing was written. */
  write(kind: number, link: number, octets = NONE): boolean {
    const size = RECORD_OCTETS + padded(octets.length);
    if (size > this.#capacity - this.used) return false;
    const head = this.#position(HEAD);
    this.#putWord(head, octets.length);
    this.#putWord(head + 4, kind);
    this.#putWord(head + 8, link);
    this.#put(head + RECORD_OCTETS, octets);
    this.#advance(HEAD, head + size);
    return true;
  }

  /** By the reader: the oldest record, taken out; undefined when there is none. */
  read(): RingRecord | undefined {
    if (this.used === 0) return undefined;
    const tail = this.#position(TAIL);
    const size = this.#word(tail);
    const record = {
      kind: this.#word(tail + 4),
      link: this.#word(tail + 8),
      octets: this.#get(tail + RECORD_OCTETS, size),
    };
    this.#advance(TAIL, tail + RECORD_OCTETS + padded(size));
    return record;
  }

  /**
   * Whether the reader had read everything before the `octets` that were just written, and so may be asleep. A reader
   * that finds more to read does not sleep.
   */
  hadReadAllBefore(octets: number): boolean {
    return this.used <= RECORD_OCTETS + padded(octets);
  }

  /** For the reader: there is something to read, or the time is over. */
  async readable(milliseconds: number): Promise<void> {
    await changed(this.#positions, HEAD, this.#position(TAIL), milliseconds);
  }

  /** For the writer that found no room: the reader has read something, or the time is over. */
  async drained(milliseconds: number): Promise<void> {
    await changed(this.#positions, TAIL, Atomics.load(this.#positions, TAIL), milliseconds);
  }

  #position(which: number): number {
    return Atomics.load(this.#positions, which) >>> 0;
  }

  #advance(which: number, to: number): void {
    Atomics.store(this.#positions, which, to | 0);
    Atomics.notify(this.#positions, which);
  }

  /** Records are multiples of four octets long, and so is the ring: a word is never cut at its end. */
  #putWord(at: number, value: number): void {
    this.#view.setUint32(at % this.#capacity, value);
  }

  #word(at: number): number {
    return this.#view.getUint32(at % this.#capacity);
  }

  #put(at: number, octets: Uint8Array): void {
    const from = at % this.#capacity;
    const first = Math.min(octets.length, this.#capacity - from);
    this.#octets.set(octets.subarray(0, first), from);
    this.#octets.set(octets.subarray(first), 0);
  }

  #get(at: number, size: number): Uint8Array {
    const from = at % this.#capacity;
    const first = Math.min(size, this.#capacity - from);
    const octets = new Uint8Array(size);
    octets.set(this.#octets.subarray(from, from + first));
    octets.set(this.#octets.subarray(0, size - first), first);
    return octets;
  }
}

const padded = (octets: number) => (octets + 3) & ~3;

/** The number there is no longer `from`, or the time is over. */
export async function changed(
  numbers: Int32Array,
  at: number,
  from: number,
  milliseconds: number,
): Promise<void> {
  const waiting = Atomics.waitAsync(numbers, at, from | 0, milliseconds);
  if (waiting.async) await waiting.value;
}
