import { isAgreed, isPrepared } from "./plan.ts";
import type { Turn } from "./turn.ts";

/** R9: a plan is agreed upon when both have it, and each has kept that it may be. */
export function agreeUponPlan(turn: Turn): void {
  const { core, durable, link } = turn;
  const { plan } = core;
  const beat = link?.peerBeat;
  if (!beat || beat.plan !== plan.hash || isAgreed(durable.plan, plan)) return;
  if (!isPrepared(durable.plan, plan)) {
    turn.keep({ plan: { ...durable.plan, prepared: [...durable.plan.prepared, plan] } });
  } else if (beat.prepared && durable.appliedSeq >= beat.lastSeq) {
    turn.keep({ plan: { agreed: plan, prepared: [] } });
  }
}
