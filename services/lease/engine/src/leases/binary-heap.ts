/** Numbers in the order that `before` says. Adding and removing take the logarithm of how many there are. */
export class BinaryHeap {
  readonly #items: number[] = [];
  readonly #before: (a: number, b: number) => boolean;
  readonly #moved: (item: number, place: number) => void;

  /** `moved` is told of every new place of an item, which is how `removeAt` can find it. */
  constructor(
    before: (a: number, b: number) => boolean,
    moved: (item: number, place: number) => void = () => {},
  ) {
    this.#before = before;
    this.#moved = moved;
  }

  add(item: number): void {
    this.#rise(this.#items.length, item);
  }

  removeAt(place: number): void {
    const last = this.#items.pop() as number;
    if (place === this.#items.length) return;
    if (place > 0 && this.#before(last, this.#items[(place - 1) >> 1] as number)) this.#rise(place, last);
    else this.#sink(place, last);
  }

  /** All of them in order, while none is added or removed; the first costs the same however many there are. */
  *inOrder(): Generator<number> {
    const items = this.#items;
    if (items.length === 0) return;
    const next = new BinaryHeap((a, b) => this.#before(items[a] as number, items[b] as number));
    next.add(0);
    for (let place = next.#items[0]; place !== undefined; place = next.#items[0]) {
      next.removeAt(0);
      yield items[place] as number;
      for (const below of [2 * place + 1, 2 * place + 2]) if (below < items.length) next.add(below);
    }
  }

  #rise(from: number, item: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#items[above] as number;
      if (!this.#before(item, other)) break;
      this.#set(place, other);
      place = above;
    }
    this.#set(place, item);
  }

  #sink(from: number, item: number): void {
    const { length } = this.#items;
    let place = from;
    for (let below = 2 * place + 1; below < length; below = 2 * place + 1) {
      const right = below + 1;
      const isRight =
        right < length && this.#before(this.#items[right] as number, this.#items[below] as number);
      const least = isRight ? right : below;
      const other = this.#items[least] as number;
      if (!this.#before(other, item)) break;
      this.#set(place, other);
      place = least;
    }
    this.#set(place, item);
  }

  #set(place: number, item: number): void {
    this.#items[place] = item;
    this.#moved(item, place);
  }
}
