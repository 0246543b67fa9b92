import { Gauge, Counter as PromCounter, type Registry } from "prom-client";
import type { HaStatus } from "../ha/status.ts";

/** What /metrics shows of the pair; a server without a peer shows none of it. */
export const HA_METRICS = {
  lease_ha_state: "1 for the state that the node is in.",
  lease_ha_link_up: "Whether there is a connection to the peer.",
  lease_ha_unacked_updates: "Changes that the peer does not have on disk yet.",
  lease_ha_updates_total: "Changes sent to the peer, and received from it.",
  lease_ha_free: "Free addresses of a pool, by who may give them to new clients.",
  lease_ha_awaiting: "Addresses of a pool that ended and await the peer's acknowledgement.",
  lease_ha_clock_difference_seconds: "The peer's clock minus this one.",
  lease_ha_plan_agreed: "Whether both have the same pools and reservations.",
  lease_ha_shortened_total: "Leases given for a shorter time than without a peer.",
  lease_ha_conflicts_total: "Addresses that two clients were given.",
  lease_ha_resync_seconds: "How long the last exchange of changes took.",
  lease_ha_alone_seconds: "Seconds without the peer.",
} as const;
type Name = keyof typeof HA_METRICS;

type Value = readonly [labels: Record<string, string>, value: number];

/** Each metric: its labels, and what it shows of a status. */
const VALUES: { readonly [K in Name]: { labels: readonly string[]; of: (status: HaStatus) => Value[] } } = {
  lease_ha_state: { labels: ["state"], of: ({ state }) => [[{ state }, 1]] },
  lease_ha_link_up: { labels: [], of: ({ link }) => [[{}, link === "up" ? 1 : 0]] },
  lease_ha_unacked_updates: { labels: [], of: ({ unackedUpdates }) => [[{}, unackedUpdates]] },
  lease_ha_updates_total: {
    labels: ["direction"],
    of: ({ updates }) => [
      [{ direction: "sent" }, updates.sent],
      [{ direction: "received" }, updates.received],
    ],
  },
  lease_ha_free: {
    labels: ["subnet", "pool", "owner"],
    of: ({ pools }) =>
      pools.flatMap(({ subnet, pool, ownFree, peerFree }): Value[] => [
        [{ subnet, pool, owner: "self" }, ownFree],
        [{ subnet, pool, owner: "peer" }, peerFree],
      ]),
  },
  lease_ha_awaiting: {
    labels: ["subnet", "pool"],
    of: ({ pools }) => pools.map(({ subnet, pool, awaiting }) => [{ subnet, pool }, awaiting]),
  },
  lease_ha_clock_difference_seconds: {
    labels: [],
    of: ({ clockDifferenceMs }) => [[{}, clockDifferenceMs / 1000]],
  },
  lease_ha_plan_agreed: { labels: [], of: ({ plan }) => [[{}, plan.agreed ? 1 : 0]] },
  lease_ha_shortened_total: { labels: [], of: ({ shortened }) => [[{}, shortened]] },
  lease_ha_conflicts_total: { labels: [], of: ({ conflicts }) => [[{}, conflicts]] },
  lease_ha_resync_seconds: {
    labels: [],
    of: ({ lastResync }) => (lastResync ? [[{}, lastResync.seconds]] : []),
  },
  lease_ha_alone_seconds: { labels: [], of: ({ aloneSeconds }) => [[{}, aloneSeconds]] },
};

/** Adds them to what /metrics shows. */
export function addHaMetrics(registry: Registry, status: () => Promise<HaStatus | "off">): void {
  // One page asks once.
  let asked: Promise<HaStatus | "off"> | undefined;
  const statusNow = () => {
    asked ??= status().finally(() => {
      asked = undefined;
    });
    return asked;
  };
  for (const [name, { labels, of }] of Object.entries(VALUES) as Array<[Name, (typeof VALUES)[Name]]>) {
    const metric = { name, help: HA_METRICS[name], labelNames: [...labels], registers: [registry] };
    const valuesNow = async () => {
      const now = await statusNow();
      return now === "off" ? [] : of(now);
    };
    if (name.endsWith("_total")) {
      new PromCounter({
        ...metric,
        async collect() {
          const values = await valuesNow();
          this.reset();
          for (const [given, value] of values) this.inc(given, value);
        },
      });
    } else {
      new Gauge({
        ...metric,
        async collect() {
          const values = await valuesNow();
          this.reset();
          for (const [given, value] of values) this.set(given, value);
        },
      });
    }
  }
}
