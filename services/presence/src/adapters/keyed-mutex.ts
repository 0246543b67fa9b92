/**
 * A mutex for each key: work with the same key runs one after the other. They would wait for each other in
 * PostgreSQL anyway, but there each would hold a connection meanwhile that others need.
 */
export function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return mine;
  };
}
