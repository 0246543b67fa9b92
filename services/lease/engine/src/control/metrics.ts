import { Gauge, type Metric, Counter as PromCounter, Registry } from "prom-client";
import type { PoolStatus } from "../calls.ts";
import { type Counters, LATENCY_BUCKETS } from "../loop/counters.ts";

/** A counter as it is shown: its name, what it says, and which of the engine's counts it is. */
export interface CounterMetric {
  readonly name: string;
  readonly help: string;
  readonly values: ReadonlyArray<{ readonly labels: Record<string, string>; readonly counter: string }>;
}

export const GAUGES = {
  lease_active_leases: "Leases in force.",
  lease_pool_size: "Addresses of a pool.",
  lease_pool_used: "Addresses of a pool that are leased.",
  lease_pool_offered: "Addresses of a pool that are offered.",
  lease_pool_declined: "Addresses of a pool in quarantine.",
} as const;

export const LATENCY = {
  name: "lease_reply_seconds",
  help: "From taking a packet to having sent its reply.",
} as const;

/** The registry that /metrics shows: it reads the engine's counts at the moment it is asked. */
export function createMetrics(
  counters: Counters,
  metrics: readonly CounterMetric[],
  pools: () => Promise<PoolStatus[]>,
): Registry {
  const registry = new Registry();
  for (const { name, help, values } of metrics) {
    new PromCounter({
      name,
      help,
      labelNames: Object.keys(values[0]?.labels ?? {}),
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, counter } of values) this.inc(labels, counters.get(counter));
      },
    });
  }
  new Gauge({
    name: "lease_active_leases",
    help: GAUGES.lease_active_leases,
    registers: [registry],
    collect() {
      this.set(counters.get("active_leases"));
    },
  });
  const perPool = {
    size: "lease_pool_size",
    bound: "lease_pool_used",
    offered: "lease_pool_offered",
    declined: "lease_pool_declined",
  } as const;
  for (const [key, name] of Object.entries(perPool) as Array<[keyof typeof perPool, keyof typeof GAUGES]>) {
    new Gauge({
      name,
      help: GAUGES[name],
      labelNames: ["subnet", "pool"],
      registers: [registry],
      async collect() {
        this.reset();
        for (const pool of await pools()) this.set({ subnet: pool.subnet, pool: poolName(pool) }, pool[key]);
      },
    });
  }
  registry.registerMetric(latencyMetric(counters));
  return registry;
}

const poolName = ({ first, last }: PoolStatus) => `${first}-${last}`;

/** prom-client's own histogram observes in this thread; the engine's buckets are filled in another. */
function latencyMetric(counters: Counters): Metric {
  const metric = {
    ...LATENCY,
    async get() {
      const buckets = counters.latencyBuckets();
      const count = counters.get("latency_count");
      return {
        ...LATENCY,
        type: "histogram",
        aggregator: "sum",
        values: [
          ...LATENCY_BUCKETS.map((le, i) => ({
            metricName: `${LATENCY.name}_bucket`,
            labels: { le },
            value: buckets[i],
          })),
          { metricName: `${LATENCY.name}_bucket`, labels: { le: "+Inf" }, value: count },
          { metricName: `${LATENCY.name}_sum`, labels: {}, value: counters.get("latency_sum") },
          { metricName: `${LATENCY.name}_count`, labels: {}, value: count },
        ],
      };
    },
  };
  return metric as unknown as Metric;
}
