/**
 * How many addresses each port holds: a circuit of a relay, or an interface. A port is known as
 * long as a lease names it, so that senders who invent ports leave nothing behind.
 */
export class Ports {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [""];
  /** Leases that name it, and how many of them count. */
  readonly #named: number[] = [0];
  readonly #held: number[] = [0];
  readonly #spare: number[] = [];

  /** One more lease names it; answers the number that stands for the port in a column. */
  take(name: string): number {
    if (name === "") return 0;
    const id = this.#ids.get(name) ?? this.#newId(name);
    this.#named[id] = (this.#named[id] as number) + 1;
    return id;
  }

  count(id: number, by: 1 | -1): void {
    if (id !== 0) this.#held[id] = (this.#held[id] as number) + by;
  }

  /** All are to be counted anew. */
  resetCounts(): void {
    this.#held.fill(0);
  }

  leave(id: number): void {
    if (id === 0) return;
    const named = (this.#named[id] as number) - 1;
    this.#named[id] = named;
    if (named > 0) return;
    this.#ids.delete(this.#names[id] as string);
    this.#names[id] = "";
    this.#spare.push(id);
  }

  name(id: number): string {
    return this.#names[id] as string;
  }

  held(name: string): number {
    const id = this.#ids.get(name);
    return id === undefined ? 0 : (this.#held[id] as number);
  }

  /** The ports that hold more than `limit` addresses, the fullest first. */
  beyond(limit: number): Array<{ port: string; held: number }> {
    const found = [...this.#ids].map(([port, id]) => ({ port, held: this.#held[id] as number }));
    return found.filter(({ held }) => held > limit).sort((a, b) => b.held - a.held);
  }

  #newId(name: string): number {
    const id = this.#spare.pop() ?? this.#names.length;
    this.#ids.set(name, id);
    this.#names[id] = name;
    this.#named[id] = 0;
    this.#held[id] = 0;
    return id;
  }
}
