/**
 * Doubly linked lists over numbered nodes, in two arrays. The first nodes are the heads of the
 * lists; every other node is in at most one list. Adding, removing and moving cost the same however
 * long a list is.
 */
export class LinkedLists {
  #next: Uint32Array;
  #previous: Uint32Array;

  constructor(heads: number, nodes: number) {
    this.#next = new Uint32Array(heads + nodes);
    this.#previous = new Uint32Array(heads + nodes);
    for (let node = 0; node < heads + nodes; node++) {
      this.#next[node] = node;
      this.#previous[node] = node;
    }
  }

  grow(size: number): void {
    const from = this.#next.length;
    const next = new Uint32Array(size);
    const previous = new Uint32Array(size);
    next.set(this.#next);
    previous.set(this.#previous);
    for (let node = from; node < size; node++) {
      next[node] = node;
      previous[node] = node;
    }
    this.#next = next;
    this.#previous = previous;
  }

  isEmpty(head: number): boolean {
    return this.#next[head] === head;
  }

  first(head: number): number | undefined {
    const node = this.#next[head] as number;
    return node === head ? undefined : node;
  }

  /** The node after one in a list; undefined at its end. */
  next(head: number, node: number): number | undefined {
    const next = this.#next[node] as number;
    return next === head ? undefined : next;
  }

  append(head: number, node: number): void {
    const last = this.#previous[head] as number;
    this.#next[last] = node;
    this.#previous[node] = last;
    this.#next[node] = head;
    this.#previous[head] = node;
  }

  /** Takes a node out of whatever list it is in. */
  remove(node: number): void {
    const next = this.#next[node] as number;
    const previous = this.#previous[node] as number;
    this.#next[previous] = next;
    this.#previous[next] = previous;
    this.#next[node] = node;
    this.#previous[node] = node;
  }

  /** Empties a list and gives its nodes. */
  takeAll(head: number): number[] {
    const nodes: number[] = [];
    for (let node = this.first(head); node !== undefined; node = this.next(head, node)) nodes.push(node);
    for (const node of nodes) this.remove(node);
    return nodes;
  }

  /** Moves everything in one list to the end of another. */
  appendAll(to: number, from: number): void {
    if (this.isEmpty(from)) return;
    const first = this.#next[from] as number;
    const last = this.#previous[from] as number;
    const end = this.#previous[to] as number;
    this.#next[end] = first;
    this.#previous[first] = end;
    this.#next[last] = to;
    this.#previous[to] = last;
    this.#next[from] = from;
    this.#previous[from] = from;
  }
}
