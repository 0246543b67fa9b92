import type { Core } from "./core-state.ts";
import { isAgreed, isPrepared, plansOfPeer } from "./plan.ts";
import type { Turn } from "./turn.ts";

/**
 * Whether a peer that lost its memory may have given a reserved address by another plan than this node has now, to a
 * client that still believes it: until then neither node is to go by the new one.
 */
export function isPlanAwaited({ settings, durable, plan }: Core, now: number): boolean {
  const { lost, lead } = durable;
  if (!lost || plansOfPeer(durable.plan).every(({ hash }) => hash === plan.hash)) return false;
  return now < lost.at + lead.awaited + settings.skew;
}

/** R9: a plan is agreed upon when both have it, and each has kept that it may be. */
export function agreeUponPlan(turn: Turn): void {
  const { core, durable, link } = turn;
  const { plan } = core;
  const beat = link?.peerBeat;
  if (!beat || beat.plan !== plan.hash || isAgreed(durable.plan, plan)) return;
  if (isPlanAwaited(core, turn.now)) return;
  if (!isPrepared(durable.plan, plan)) {
    turn.keep({ plan: { ...durable.plan, prepared: [...durable.plan.prepared, plan] } });
  } else if (beat.prepared && durable.appliedSeq >= beat.lastSeq) {
    turn.keep({ plan: { agreed: plan, prepared: [] } });
  }
}
