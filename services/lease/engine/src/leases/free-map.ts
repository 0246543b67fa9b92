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
    return this.#free === 0 ? undefined : (this.#from(start) ?? this.#from(0));
  }

  #from(start: number): number | undefined {
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

const lowestBit = (word: number) => 31 - Math.clz32(word & -word);
