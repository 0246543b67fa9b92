export interface Move {
  readonly id: string;
  /** Behind which other one it goes; null: before all. */
  readonly after: string | null;
}

interface Item {
  readonly id: string;
}

/** Items as a person has put them, where some of that is not stored yet. Those that have come since are last. */
export function inOrderOf<T extends Item>(items: readonly T[], order: readonly string[]): readonly T[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = ({ id }: T) => places.get(id) ?? order.length;
  return items.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The items after one of them was moved, and the move; undefined where it stays. */
export function moveTo<T extends Item>(items: readonly T[], id: string, to: number) {
  const from = items.findIndex((each) => each.id === id);
  const item = items[from];
  const target = Math.max(0, Math.min(items.length - 1, to));
  if (!item || from === target) return undefined;
  const order = items.toSpliced(from, 1).toSpliced(target, 0, item);
  const move: Move = { id, after: order[target - 1]?.id ?? null };
  return { item, target, order: order.map((each) => each.id), move };
}

/**
 * Stores moves one after the other, so that they have the order in which they were made. Of an item that is moved on
 * before its last move was stored, only where it ends counts.
 */
export function createMoves(store: (move: Move) => unknown, onStored: () => void) {
  const waiting: Move[] = [];
  let isStoring = false;
  async function storeAll(): Promise<void> {
    isStoring = true;
    try {
      for (let move = waiting.shift(); move; move = waiting.shift()) await store(move);
    } finally {
      isStoring = false;
      onStored();
    }
  }
  return (move: Move): void => {
    if (waiting.at(-1)?.id === move.id) waiting.pop();
    waiting.push(move);
    if (!isStoring) void storeAll();
  };
}
