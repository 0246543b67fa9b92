/**
 * The messages that offer to take something back, by what they are about: one that is followed by another change of the same
 * thing would take back that one, or nothing.
 */
export function createUndoOffers(hide: (id: string) => void) {
  const offered = new Map<string, string>();
  let count = 0;
  return {
    /** A name for the next message about this; the one before it goes. */
    next: (about: string): string => {
      const before = offered.get(about);
      if (before !== undefined) hide(before);
      const id = `undo-${++count}`;
      offered.set(about, id);
      return id;
    },
    /** Takes the message about this away, if there is one. */
    withdraw: (about: string): void => {
      const before = offered.get(about);
      if (before !== undefined) hide(before);
      offered.delete(about);
    },
  };
}
