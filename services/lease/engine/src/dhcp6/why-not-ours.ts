import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { STATE } from "../leases/binding.ts";
import type { Exchange6 } from "./exchange.ts";
import { given6, hasTime } from "./grant.ts";
import { identityOf } from "./identity.ts";
import { firstOption } from "./options.ts";
import type { Silence6 } from "./outcomes.ts";

const NOWHERE = 0n;

/** Why a message is not for this node of a pair to answer; undefined when it is. */
export function whyNotOurs(x: Exchange6): Silence6 | undefined {
  const own = x.ias.flatMap(({ type, iaid }) =>
    x.part.leases.ofClient(identityOf(type, iaid, x.duid), x.network.index),
  );
  const bound = own.find(({ state }) => state === STATE.bound);
  const last = bound ?? own.find(({ state }) => state !== STATE.offered);
  // A message that names another server is not looked at.
  const isNamed = firstOption(x.request.options, CODE6.serverId) !== undefined;
  const question = {
    isRenewal: bound !== undefined,
    names: isNamed ? ("own" as const) : undefined,
    identity: x.duid,
    last: last?.address,
  };
  x.trail?.push({ kind: "pair", sentence: x.failover.explainAnswer(question) });
  if (!x.failover.answers(question)) return "peer-answers";
  return hasTimeLeft(x) ? undefined : "no-time-left";
}

const GIVING_TIME: ReadonlySet<number> = new Set([TYPE6.solicit, TYPE6.request, TYPE6.renew, TYPE6.rebind]);

/**
 * The peer may have taken over: then new leases cannot be given, and those that it knows of go on. Where a client holds
 * one for which no time is left, nothing is said, since an answer without time would end it.
 */
function hasTimeLeft(x: Exchange6): boolean {
  if (x.ias.length === 0 || !GIVING_TIME.has(x.request.type)) return true;
  if (x.failover.latestEnd(NOWHERE, x.duid, false) > x.now) return true;
  const held = x.ias.flatMap((ia) =>
    x.part.leases
      .ofClient(identityOf(ia.type, ia.iaid, x.duid), x.network.index)
      .filter(({ state }) => state === STATE.bound)
      .map(({ address }) => given6(x, ia, address)),
  );
  return held.length > 0 && held.every((lease) => hasTime(x, lease));
}
