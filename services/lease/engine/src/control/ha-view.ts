import type { HaStatus as Shown } from "@frontdesk/lease-control-api/ha";
import { refusalText } from "../ha/refusal.ts";
import type { HaStatus } from "../ha/status.ts";

const timeText = (seconds: number) => new Date(seconds * 1000).toISOString();
const maybe = (seconds: number | null) => (seconds === null ? null : timeText(seconds));

/** The pair as the control API shows it. */
export function haView(status: HaStatus, linkProblem: string | undefined): Shown {
  const { peer, takeover, lastResync, refusal } = status;
  const problem = refusal ? refusalText(refusal) : linkProblem;
  return {
    state: status.state,
    since: timeText(status.since),
    reason: status.reason,
    role: status.role,
    mode: status.mode,
    epoch: status.epoch,
    link: { state: status.link, problem: status.link === "up" ? null : (problem ?? null) },
    peer: {
      state: peer.state,
      since: maybe(peer.since),
      serving: peer.serving,
      last_contact: maybe(peer.lastContact),
    },
    unacked_updates: status.unackedUpdates,
    oldest_unacked_s: status.oldestUnackedSeconds,
    pools: status.pools.map(({ subnet, pool, ownFree, peerFree, awaiting }) => ({
      subnet,
      pool,
      own_free: ownFree,
      peer_free: peerFree,
      awaiting,
    })),
    clock_difference_ms: status.clockDifferenceMs,
    plan: status.plan,
    service_hash_equal: status.serviceHashEqual,
    takeover: takeover && { at: timeText(takeover.at), usable_from: timeText(takeover.usableFrom) },
    last_resync: lastResync && { ...lastResync, at: timeText(lastResync.at) },
    handed_over: status.handedOver,
    conflicts: status.conflicts,
    shortened: status.shortened,
    updates: status.updates,
    alone_seconds: status.aloneSeconds,
    advice: status.advice,
  };
}
