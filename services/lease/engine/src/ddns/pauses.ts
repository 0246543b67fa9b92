const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10 * 60_000;

/** What failed and is left alone for a while, twice as long each time; times only grow, whatever the wall clock does. */
export class Pauses<K> {
  readonly #monotonic: () => number;
  readonly #pauses = new Map<K, { until: number; milliseconds: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Not before a second; then not before two; at most ten minutes. */
  add(key: K): void {
    const before = this.#pauses.get(key)?.milliseconds ?? FIRST_PAUSE_MS / 2;
    const milliseconds = Math.min(MAX_PAUSE_MS, before * 2);
    this.#pauses.set(key, { until: this.#monotonic() + milliseconds, milliseconds });
  }

  /** It works again. */
  end(key: K): void {
    this.#pauses.delete(key);
  }

  isResting(key: K): boolean {
    return (this.#pauses.get(key)?.until ?? 0) > this.#monotonic();
  }

  /** Whether it failed when it was last tried. */
  isFailing(key: K): boolean {
    return this.#pauses.has(key);
  }

  /** All that rest now. What has long been over, and was not tried again, is gone. */
  resting(): K[] {
    const now = this.#monotonic();
    for (const [key, { until }] of this.#pauses) if (until + MAX_PAUSE_MS < now) this.#pauses.delete(key);
    return [...this.#pauses].filter(([, { until }]) => until > now).map(([key]) => key);
  }
}
