/** DiceBear's dice: every choice is thrown by itself, from the seed and the choice's name. */
export interface StyleDice {
  /** A number from 0 up to, not including, 1. */
  value(name: string): number;
  /** The first of the candidates after a shuffle. */
  firstShuffled(name: string, sorted: readonly string[]): string | undefined;
}

export function styleDice(seed: string): StyleDice {
  return {
    value: (name) => mulberry32(fnv1a(`${seed}:${name}`))(),
    firstShuffled: (name, sorted) => {
      if (sorted.length < 2) return sorted[0];
      const next = mulberry32(fnv1a(`${seed}:${name}`));
      const cards = [...sorted];
      for (let i = cards.length - 1; i > 0; i--) {
        const j = Math.floor(next() * (i + 1));
        [cards[i], cards[j]] = [cards[j] as string, cards[i] as string];
      }
      return cards[0];
    },
  };
}

/** FNV-1a over UTF-16 code units, 32 bits. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Tommy Ettinger's Mulberry32, as numbers from 0 up to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
