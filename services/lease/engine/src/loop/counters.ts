/**
 * What the engine counts, in memory that the packet worker writes and the metrics page reads. One
 * writer, so plain additions are enough.
 */
export const COUNTERS = [
  "packets_received",
  "parse_errors",
  "received_bootp",
  "received_discover",
  "received_request",
  "received_decline",
  "received_release",
  "received_inform",
  "received_other",
  "sent_offer",
  "sent_ack",
  "sent_nak",
  "sent_forcerenew",
  "sent_bootp",
  "send_errors",
  "drop_overload",
  "drop_no_subnet",
  "drop_no_address",
  "drop_other_server",
  "drop_store",
  "drop_other",
  "conflicts",
  "expired",
  "probes",
  "store_commits",
  "store_errors",
  "store_seconds",
  "reloads",
  "reload_failures",
  "active_leases",
  "offered_leases",
  "latency_count",
  "latency_sum",
] as const;
export type Counter = (typeof COUNTERS)[number];

export const LATENCY_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3] as const;

const PLACE = Object.fromEntries(COUNTERS.map((name, i) => [name, i])) as Record<Counter, number>;

export class Counters {
  readonly memory: SharedArrayBuffer;
  readonly #values: Float64Array;

  constructor(memory = new SharedArrayBuffer(8 * (COUNTERS.length + LATENCY_BUCKETS.length))) {
    this.memory = memory;
    this.#values = new Float64Array(memory);
  }

  add(name: Counter, by = 1): void {
    const at = PLACE[name];
    this.#values[at] = (this.#values[at] as number) + by;
  }

  set(name: Counter, value: number): void {
    this.#values[PLACE[name]] = value;
  }

  get(name: Counter): number {
    return this.#values[PLACE[name]] as number;
  }

  observeLatency(seconds: number, times: number): void {
    this.add("latency_count", times);
    this.add("latency_sum", seconds * times);
    const bucket = LATENCY_BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket < 0) return;
    const at = COUNTERS.length + bucket;
    this.#values[at] = (this.#values[at] as number) + times;
  }

  /** How many were at most as long as each bucket's limit. */
  latencyBuckets(): number[] {
    let sum = 0;
    return LATENCY_BUCKETS.map((_, i) => {
      sum += this.#values[COUNTERS.length + i] as number;
      return sum;
    });
  }
}
