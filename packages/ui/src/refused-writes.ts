const listeners = new Set<() => void>();

/** For whatever knows by its own writes what is stored: somebody else has written since, and it has been read anew. */
export function whenWriteRefused(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellWriteRefused(): void {
  for (const listener of [...listeners]) listener();
}
