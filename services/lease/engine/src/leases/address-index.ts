/** From address to slot: open addressing over one array, half full at most. */
export class AddressIndex {
  #table = new Uint32Array(1024);
  #count = 0;
  readonly #addressOf: (slot: number) => number;

  constructor(addressOf: (slot: number) => number) {
    this.#addressOf = addressOf;
  }

  get(address: number): number | undefined {
    const place = this.#place(address);
    const entry = this.#table[place] as number;
    return entry === 0 ? undefined : entry - 1;
  }

  set(address: number, slot: number): void {
    if ((this.#count + 1) * 2 > this.#table.length) this.#grow();
    const place = this.#place(address);
    if (this.#table[place] === 0) this.#count++;
    this.#table[place] = slot + 1;
  }

  delete(address: number): void {
    let hole = this.#place(address);
    if (this.#table[hole] === 0) return;
    this.#count--;
    const last = this.#table.length - 1;
    // What was pushed on by the one that leaves moves back, so that no search stops short.
    for (let at = (hole + 1) & last; this.#table[at] !== 0; at = (at + 1) & last) {
      const home = this.#home(this.#addressOf((this.#table[at] as number) - 1));
      if (((at - home) & last) >= ((at - hole) & last)) {
        this.#table[hole] = this.#table[at] as number;
        hole = at;
      }
    }
    this.#table[hole] = 0;
  }

  #home(address: number): number {
    // Fibonacci hashing: the upper bits of the product are the well mixed ones.
    return Math.imul(address, 0x9e3779b1) >>> (Math.clz32(this.#table.length) + 1);
  }

  #place(address: number): number {
    const last = this.#table.length - 1;
    let at = this.#home(address);
    while (this.#table[at] !== 0 && this.#addressOf((this.#table[at] as number) - 1) !== address) {
      at = (at + 1) & last;
    }
    return at;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (const entry of old) {
      if (entry !== 0) this.#table[this.#place(this.#addressOf(entry - 1))] = entry;
    }
  }
}
