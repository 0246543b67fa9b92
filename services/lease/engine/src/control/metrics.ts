import { Gauge, type Metric, Counter as PromCounter, Registry } from "prom-client";
import type { PoolStatus } from "../calls.ts";
import { SILENCE_COUNTERS } from "../dhcp4/outcomes.ts";
import { type Counters, LATENCY_BUCKETS } from "../loop/counters.ts";

/** Every counter the engine shows: its name, what it says, and which of the engine's counts it is. */
export const METRICS: ReadonlyArray<{
  name: string;
  help: string;
  values: ReadonlyArray<{ labels: Record<string, string>; counter: string }>;
}> = [
  one("lease_packets_received_total", "Packets received.", "packets_received"),
  one("lease_parse_errors_total", "Packets that are no DHCP message.", "parse_errors"),
  one("lease_discover_total", "DISCOVER messages received.", "received_discover"),
  one("lease_request_total", "REQUEST messages received.", "received_request"),
  one("lease_decline_total", "DECLINE messages received.", "received_decline"),
  one("lease_release_total", "RELEASE messages received.", "received_release"),
  one("lease_inform_total", "INFORM messages received.", "received_inform"),
  one("lease_bootp_total", "BOOTP requests received.", "received_bootp"),
  one("lease_other_total", "Messages of other types received.", "received_other"),
  one("lease_offer_total", "OFFER messages sent.", "sent_offer"),
  one("lease_ack_total", "ACK messages sent.", "sent_ack"),
  one("lease_nak_total", "NAK messages sent.", "sent_nak"),
  one("lease_forcerenew_total", "FORCERENEW messages sent.", "sent_forcerenew"),
  one("lease_bootp_reply_total", "BOOTP replies sent.", "sent_bootp"),
  one("lease_send_errors_total", "Replies that the system did not take.", "send_errors"),
  {
    name: "lease_drops_total",
    help: "Packets that got no reply, by reason.",
    values: [
      { labels: { reason: "overload" }, counter: "drop_overload" },
      { labels: { reason: "store" }, counter: "drop_store" },
      { labels: { reason: "fault" }, counter: "drop_fault" },
      ...Object.values(SILENCE_COUNTERS).map((counter) => ({
        labels: { reason: counter.replace("drop_", "") },
        counter,
      })),
    ],
  },
  one("lease_conflicts_total", "Addresses that someone answered for before they were offered.", "conflicts"),
  one("lease_expired_total", "Leases that ended by time.", "expired"),
  one("lease_probes_total", "Addresses asked for before they were offered.", "probes"),
  one("lease_store_commits_total", "Transactions written to disk.", "store_commits"),
  one("lease_store_errors_total", "Transactions that could not be written.", "store_errors"),
  one("lease_store_commit_seconds_total", "Time spent in transactions.", "store_seconds"),
  one("lease_options_left_out_total", "Options that did not fit a reply.", "options_left_out"),
  one(
    "lease_events_suppressed_total",
    "Events not kept, because their client had so many.",
    "events_suppressed",
  ),
  one("lease_clock_steps_total", "Steps of the wall clock.", "clock_steps"),
  one("lease_reloads_total", "Configurations taken up.", "reloads"),
  one("lease_reload_failures_total", "Configurations refused.", "reload_failures"),
];

function one(name: string, help: string, counter: string) {
  return { name, help, values: [{ labels: {}, counter }] };
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
export function createMetrics(counters: Counters, pools: () => Promise<PoolStatus[]>): Registry {
  const registry = new Registry();
  for (const { name, help, values } of METRICS) {
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

const poolName = ({ first, last }: PoolStatus) => `${dotted(first)}-${dotted(last)}`;
const dotted = (address: number) => [24, 16, 8, 0].map((bits) => (address >>> bits) & 255).join(".");

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
