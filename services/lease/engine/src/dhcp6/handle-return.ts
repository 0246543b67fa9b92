import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { holds } from "../leases/allocate.ts";
import { STATE } from "../leases/binding.ts";
import type { Decision6, Exchange6 } from "./exchange.ts";
import type { Ia, IaType } from "./ia.ts";
import { identityOf } from "./identity.ts";

/** Within an hour, of one client: it could otherwise put a whole pool into quarantine. */
export const MAX_DECLINES6 = 5;

const DONE = { code: STATUS6.success, text: "done" } as const;
const NO_BINDING = { code: STATUS6.noBinding, text: "no such lease is known" } as const;

/** RFC 9915 section 18.3.6. */
export const handleRelease6 = (x: Exchange6): Decision6 =>
  returned(x, [CODE6.iaNa, CODE6.iaPd], (address) => x.effects.release(x, address));

/** RFC 9915 section 18.3.7: someone else uses the address; nobody is given it for a while. */
export const handleDecline6 = (x: Exchange6): Decision6 =>
  // RFC 9915 section 18.2.8: of prefixes nobody finds out that another uses them.
  returned(x, [CODE6.iaNa], (address) => {
    if (x.declinesOf(x.duid) >= MAX_DECLINES6) {
      // The client does not use it; an address that so many are wrong for is not the one to blame.
      x.effects.release(x, address);
      return;
    }
    x.effects.decline(x, address, x.now + x.config.declineQuarantine);
    x.declined(x.duid);
  });

/**
 * What a client was moved away from by a renewal, and is kept since the reply might have been lost: who gives back the lease
 * that it was moved to has heard of it. Of a pair, that may be a late copy of a message.
 */
function leftBefore(x: Exchange6, identity: Uint8Array, returned: readonly bigint[]): bigint[] {
  if (x.failover.isPaired || returned.length === 0) return [];
  const seenOf = (address: bigint) => x.part.find(address)?.seen ?? 0;
  const heard = Math.max(...returned.map(seenOf));
  return x.part.leases
    .ofClientAndGone(identity, x.network.index)
    .filter(({ address, state }) => state === STATE.bound && !returned.includes(address))
    .map(({ address }) => address)
    .filter((address) => seenOf(address) < heard);
}

/** Each lease that the client has is given back; IAs that have none are told so, and only those. */
function returned(x: Exchange6, types: readonly IaType[], giveBack: (address: bigint) => void): Decision6 {
  const unknown: Ia[] = [];
  for (const ia of x.ias) {
    const identity = identityOf(ia.type, ia.iaid, x.duid);
    const named = types.includes(ia.type) ? ia.leases.map(({ address }) => address) : [];
    const own = [...new Set(named)].filter((address) => {
      const binding = x.part.leases.find(address);
      return binding?.state === STATE.bound && holds(binding, identity);
    });
    const left = leftBefore(x, identity, own);
    for (const address of own) if (x.failover.mayGiveBack(address, identity)) giveBack(address);
    for (const address of left) x.effects.release(x, address);
    if (own.length === 0) unknown.push({ ...ia, leases: [], status: NO_BINDING });
  }
  return { outcome: { kind: "reply" }, type: TYPE6.reply, ias: unknown, status: DONE };
}
