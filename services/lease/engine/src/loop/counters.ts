/** What the loop itself counts; protocols add their own. */
export const LOOP_COUNTERS = [
  "packets_received",
  "parse_errors",
  "send_errors",
  "drop_overload",
  "drop_store",
  "drop_fault",
  "drop_late",
  "drop6_late",
  "expired",
  "store_commits",
  "store_errors",
  "store_seconds",
  "store_failing",
  "events_suppressed",
  "reloads",
  "reload_failures",
  "ddns_updates",
  "ddns_failures",
  "ddns_conflicts",
  "active_leases",
  "interfaces_down",
  "clock_steps",
  "clock_offset_seconds",
  "latency_count",
  "latency_sum",
] as const;
export type LoopCounter = (typeof LOOP_COUNTERS)[number];

export const LATENCY_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3] as const;

/**
 * Counts in memory that the packet worker writes and the metrics page reads. Each count has one
 * writer: `reload_failures` and those of DDNS the main thread, all others the packet worker.
 */
export class Counters<Name extends string = string> {
  readonly memory: SharedArrayBuffer;
  readonly #values: Float64Array;
  readonly #places: ReadonlyMap<Name, number>;

  constructor(names: readonly Name[], memory?: SharedArrayBuffer) {
    this.#places = new Map(names.map((name, i) => [name, i]));
    this.memory = memory ?? new SharedArrayBuffer(8 * (names.length + LATENCY_BUCKETS.length));
    this.#values = new Float64Array(this.memory);
  }

  add(name: Name, by = 1): void {
    const at = this.#places.get(name) as number;
    this.#values[at] = (this.#values[at] as number) + by;
  }

  set(name: Name, value: number): void {
    this.#values[this.#places.get(name) as number] = value;
  }

  get(name: Name): number {
    return this.#values[this.#places.get(name) as number] as number;
  }

  observeLatency(this: Counters<Name | LoopCounter>, seconds: number, times: number): void {
    this.add("latency_count", times);
    this.add("latency_sum", seconds * times);
    const bucket = LATENCY_BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket < 0) return;
    const at = this.#values.length - LATENCY_BUCKETS.length + bucket;
    this.#values[at] = (this.#values[at] as number) + times;
  }

  /** How many were at most as long as each bucket's limit. */
  latencyBuckets(): number[] {
    let sum = 0;
    return LATENCY_BUCKETS.map((_, i) => {
      sum += this.#values[this.#values.length - LATENCY_BUCKETS.length + i] as number;
      return sum;
    });
  }
}
