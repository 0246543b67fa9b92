const MAX_KEPT = 10_000;

/** Keeps, up to a bound, what stays true for as long as its key means anything. */
export function memory<T>() {
  const kept = new Map<string, T>();
  return {
    get: (key: string): T | undefined => kept.get(key),
    keep: (key: string, value: T): T => {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, value);
      return value;
    },
  };
}
