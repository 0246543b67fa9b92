const listeners = new Set<() => void>();

/** For whatever shows something of a person: it is called when they have left, or another one has come. */
export function whenLeft(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellLeft(): void {
  for (const listener of [...listeners]) listener();
}
