/**
 * How many addresses each port holds: a circuit of a relay, or an interface. A port is known as
 * long as it holds one, so that senders who invent ports leave nothing behind.
 */
export class Ports {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [""];
  readonly #held: number[] = [0];
  readonly #spare: number[] = [];

  /** Counts one more address; answers the number that stands for the port in a column. */
  take(name: string): number {
    if (name === "") return 0;
    const id = this.#ids.get(name) ?? this.#newId(name);
    this.#held[id] = (this.#held[id] as number) + 1;
    return id;
  }

  leave(id: number): void {
    if (id === 0) return;
    const held = (this.#held[id] as number) - 1;
    this.#held[id] = held;
    if (held > 0) return;
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
    this.#held[id] = 0;
    return id;
  }
}
