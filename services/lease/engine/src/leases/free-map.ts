/**
 * The addresses of one pool that nobody ever had: a bitmap with summaries above it, 32 bits to one.
 * Finding the next free one takes one word per level: five for sixteen million addresses.
 */
export class FreeMap {
  readonly size: number;
  readonly #levels: Uint32Array[] = [];
  #free: number;

  constructor(size: number) {
    this.size = size;
    this.#free = size;
    let bits = size;
    do {
      const words = Math.ceil(bits / 32);
      const level = new Uint32Array(words);
      const rest = bits % 32;
      // Bits past the end count as taken.
      if (rest !== 0) level[words - 1] = (0xffffffff << rest) >>> 0;
      this.#levels.push(level);
      bits = words;
    } while (bits > 1);
  }

  /** Takes everything. */
  static full(size: number): FreeMap {
    const map = new FreeMap(size);
    for (const level of map.#levels) level.fill(0xffffffff);
    map.#free = 0;
    return map;
  }

  /** How many are free from one offset to another, both included. */
  count(first: number, last: number): number {
    const words = this.#levels[0] as Uint32Array;
    let count = 0;
    for (let word = first >>> 5; word <= last >>> 5; word++) {
      let open = ~(words[word] as number) >>> 0;
      if (word === first >>> 5) open = (open & (0xffffffff << (first & 31))) >>> 0;
      if (word === last >>> 5) open = (open & (0xffffffff >>> (31 - (last & 31)))) >>> 0;
      count += ones(open);
    }
    return count;
  }

  /** The last free offset up to `start`; what is found below `least` is of no use. */
  upTo(start: number, least: number): number | undefined {
    const words = this.#levels[0] as Uint32Array;
    for (let word = start >>> 5; word >= least >>> 5; word--) {
      let open = ~(words[word] as number) >>> 0;
      if (word === start >>> 5) open = (open & (0xffffffff >>> (31 - (start & 31)))) >>> 0;
      if (open !== 0) return word * 32 + 31 - Math.clz32(open);
    }
    return undefined;
  }

  get free(): number {
    return this.#free;
  }

  isFree(offset: number): boolean {
    return (((this.#levels[0]?.[offset >>> 5] ?? 0xffffffff) >>> (offset & 31)) & 1) === 0;
  }

  take(offset: number): void {
    if (!this.isFree(offset)) return;
    this.#free--;
    let bit = offset;
    for (const level of this.#levels) {
      const word = bit >>> 5;
      level[word] = ((level[word] as number) | (1 << (bit & 31))) >>> 0;
      if (level[word] !== 0xffffffff) return;
      bit = word;
    }
  }

  giveBack(offset: number): void {
    if (this.isFree(offset)) return;
    this.#free++;
    let bit = offset;
    for (const level of this.#levels) {
      const word = bit >>> 5;
      const before = level[word] as number;
      level[word] = (before & ~(1 << (bit & 31))) >>> 0;
      if (before !== 0xffffffff) return;
      bit = word;
    }
  }

  /** The first free offset from `start` on, from the beginning again when there is none. */
  next(start: number): number | undefined {
    return this.#free === 0 ? undefined : (this.from(start) ?? this.from(0));
  }

  /** The first free offset from `start` on. */
  from(start: number): number | undefined {
    let position = start;
    for (let up = 0; up < this.#levels.length; up++) {
      const level = this.#levels[up] as Uint32Array;
      const word = position >>> 5;
      if (word >= level.length) return undefined;
      const open = (~(level[word] as number) & (0xffffffff << (position & 31))) >>> 0;
      if (open !== 0) return this.#descend(up, word * 32 + lowestBit(open));
      position = word + 1;
    }
    return undefined;
  }

  #descend(from: number, bit: number): number {
    let position = bit;
    for (let down = from - 1; down >= 0; down--) {
      position = position * 32 + lowestBit(~(this.#levels[down]?.[position] as number) >>> 0);
    }
    return position;
  }
}

function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const lowestBit = (word: number) => 31 - Math.clz32(word & -word);
