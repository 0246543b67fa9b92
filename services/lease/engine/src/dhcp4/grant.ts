import { readU32 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { type Effective, effectiveFor } from "../classes/effective.ts";
import { holds } from "../leases/allocate.ts";
import { FOREVER, STATE } from "../leases/binding.ts";
import type { Decision, Exchange, Given } from "./exchange.ts";

const NONCE_SIZE = 16;
const BOOTP = 0;

/** What a client gets with an address. */
export function given(x: Exchange, address: number): Given {
  const pool = x.leases.poolOf(address);
  const subnet = x.reservation?.ip === address ? x.reservation.subnet : (pool?.subnet ?? x.subnet);
  const seconds = x.request.type === BOOTP ? FOREVER : timeFor(x, effectiveOf(x, { subnet, pool }));
  x.trail?.push({ kind: "time", seconds });
  return { address, seconds, subnet, pool };
}

export const effectiveOf = (x: Exchange, { subnet, pool }: Pick<Given, "subnet" | "pool">): Effective =>
  effectiveFor(x.config, { subnet, pool, classes: x.classes, reservation: x.reservation });

export function offer(x: Exchange, address: number): Decision {
  return {
    outcome: { kind: "offer" },
    effect: { kind: "offer", address, until: x.now + x.config.offerTime },
    given: given(x, address),
  };
}

export function bind(x: Exchange, address: number, kind: "ack" | "bootp" = "ack"): Decision {
  const what = given(x, address);
  const binding = x.leases.find(address);
  return {
    outcome: { kind },
    effect: {
      kind: "bind",
      address,
      until: what.seconds === FOREVER ? FOREVER : Math.min(x.now + what.seconds, FOREVER - 1),
      renewed: binding !== undefined && binding.state === STATE.bound && holds(binding, x.identity),
      nonce: takesNonce(x) ? x.random(NONCE_SIZE) : undefined,
    },
    given: what,
  };
}

/** RFC 2131 section 4.3.1: what the client asks for, within what the configuration allows. */
function timeFor(x: Exchange, { defaultTime, minTime, maxTime }: Effective): number {
  const asked = x.request.options.get(CODE.leaseTime);
  if (asked?.length !== 4) return defaultTime;
  const least = x.isChurning(x.network) ? defaultTime : minTime;
  return Math.max(least, Math.min(readU32(asked, 0), maxTime));
}

/** RFC 6704 section 3.1.1: the client lists the algorithms it knows; 1 is HMAC-MD5. */
export const takesNonce = (x: Exchange) => x.request.options.get(CODE.forceRenewNonce)?.includes(1) ?? false;
