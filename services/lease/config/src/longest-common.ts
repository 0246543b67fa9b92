/** Of elements that occur many times, so many are considered for each: lists of thousands of equal values stay cheap. */
const MAX_TWINS = 100;

interface Chain {
  readonly worth: number;
  readonly pair: readonly [from: number, to: number];
  readonly before: Chain | undefined;
}

/**
 * The longest common subsequence of two lists as [place in one, place in the other], by the keys of their elements; of
 * two that are as long, the one in which more elements are equal. It costs n log n where keys are rarely repeated.
 */
export function longestCommon<T>(
  one: readonly T[],
  other: readonly T[],
  keyOf: (element: T) => string,
  isEqual: (a: T, b: T) => boolean,
): Array<readonly [number, number]> {
  const long = Math.min(one.length, other.length) + 1;
  const places = Map.groupBy(other.keys(), (to) => keyOf(other[to] as T));
  const chains = new BestBefore(other.length);
  for (const [from, element] of one.entries()) {
    const twins = places.get(keyOf(element))?.slice(0, MAX_TWINS) ?? [];
    // From the last on: a chain has each element of `one` once.
    for (const to of twins.reverse()) {
      const before = chains.before(to);
      const worth = (before?.worth ?? 0) + long + (isEqual(element, other[to] as T) ? 1 : 0);
      chains.add(to, { worth, pair: [from, to], before });
    }
  }
  const pairs: Array<readonly [number, number]> = [];
  for (let chain = chains.before(other.length); chain; chain = chain.before) pairs.push(chain.pair);
  return pairs.reverse();
}

/** The best chain that ends before a place (a Fenwick tree of maxima). */
class BestBefore {
  readonly #tree: Array<Chain | undefined>;

  constructor(places: number) {
    this.#tree = new Array(places + 1);
  }

  before(place: number): Chain | undefined {
    let best: Chain | undefined;
    for (let node = place; node > 0; node -= node & -node) best = better(best, this.#tree[node]);
    return best;
  }

  add(place: number, chain: Chain): void {
    for (let node = place + 1; node < this.#tree.length; node += node & -node) {
      this.#tree[node] = better(this.#tree[node], chain);
    }
  }
}

const better = (a: Chain | undefined, b: Chain | undefined) =>
  a && b ? (b.worth > a.worth ? b : a) : (a ?? b);
