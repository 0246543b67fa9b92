import type { CounterMetric } from "./control/metrics.ts";
import { SILENCE_COUNTERS } from "./dhcp4/outcomes.ts";
import { REFUSAL6_COUNTERS, SILENCE6_COUNTERS } from "./dhcp6/outcomes.ts";

/** Every counter the engine shows. */
export const METRICS: readonly CounterMetric[] = [
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
      { labels: { reason: "late" }, counter: "drop_late" },
      ...Object.values(SILENCE_COUNTERS).map((counter) => ({
        labels: { reason: counter.replace("drop_", "") },
        counter,
      })),
    ],
  },
  {
    name: "lease_dhcpv6_received_total",
    help: "Messages of DHCPv6 received, by type.",
    values: [
      "solicit",
      "request",
      "confirm",
      "renew",
      "rebind",
      "release",
      "decline",
      "information_request",
      "addr_reg_inform",
      "other",
    ].map((type) => ({ labels: { type }, counter: `received6_${type}` })),
  },
  {
    name: "lease_dhcpv6_sent_total",
    help: "Messages of DHCPv6 sent, by type.",
    values: ["advertise", "reply", "addr_reg_reply", "reconfigure"].map((type) => ({
      labels: { type },
      counter: `sent6_${type}`,
    })),
  },
  {
    name: "lease_dhcpv6_drops_total",
    help: "Packets of DHCPv6 that got no reply, by reason.",
    values: [
      { labels: { reason: "late" }, counter: "drop6_late" },
      ...Object.values(SILENCE6_COUNTERS).map((counter) => ({
        labels: { reason: counter.replace("drop6_", "") },
        counter,
      })),
    ],
  },
  {
    name: "lease_dhcpv6_refusals_total",
    help: "Identity associations of DHCPv6 that got no lease, by reason.",
    values: Object.values(REFUSAL6_COUNTERS).map((counter) => ({
      labels: { reason: counter.replace("refused6_", "") },
      counter,
    })),
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
  one(
    "lease_ddns_updates_total",
    "Records of names and addresses brought to DNS, or taken away.",
    "ddns_updates",
  ),
  one("lease_ddns_failures_total", "Updates that a DNS server did not take.", "ddns_failures"),
  one("lease_ddns_conflicts_total", "Names that are another's in DNS.", "ddns_conflicts"),
  one("lease_reloads_total", "Configurations applied.", "reloads"),
  one("lease_reload_failures_total", "Configurations rejected.", "reload_failures"),
];

function one(name: string, help: string, counter: string) {
  return { name, help, values: [{ labels: {}, counter }] };
}
