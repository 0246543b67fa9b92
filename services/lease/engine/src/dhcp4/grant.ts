import { readU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { type Effective, effectiveFor } from "../classes/effective.ts";
import { holds } from "../leases/allocate.ts";
import { endOf, FOREVER, STATE } from "../leases/binding.ts";
import { type Decision, type Exchange, type Given, silence } from "./exchange.ts";

const NONCE_SIZE = 16;
const BOOTP = 0;

/** What a client gets with an address. */
export function given(x: Exchange, address: number): Given {
  const pool = x.leases.poolOf(address);
  const subnet = x.reservation?.ip === address ? x.reservation.subnet : (pool?.subnet ?? x.subnet);
  const wanted = x.request.type === BOOTP ? FOREVER : timeFor(x, effectiveOf(x, { subnet, pool }));
  const seconds = x.failover.isPaired && x.request.type !== BOOTP ? withinLead(x, address, wanted) : wanted;
  x.trail?.push({ kind: "time", seconds, wanted });
  return { address, seconds, wanted, subnet, pool };
}

/** No client is told more than the peer could know. */
function withinLead(x: Exchange, address: number, wanted: number): number {
  const latest = x.failover.latestEnd(address, x.identity, x.reservation?.ip === address);
  return latest === FOREVER ? wanted : Math.min(wanted, latest - x.now);
}

export const effectiveOf = (x: Exchange, { subnet, pool }: Pick<Given, "subnet" | "pool">): Effective =>
  effectiveFor(x.config, { subnet, pool, classes: x.classes, reservation: x.reservation });

export function offer(x: Exchange, address: number): Decision {
  const what = given(x, address);
  if (what.seconds < 1) return silence("no-time-left");
  return {
    outcome: { kind: "offer" },
    effect: { kind: "offer", address, until: x.now + x.config.offerTime },
    given: what,
  };
}

export function bind(x: Exchange, address: number, kind: "ack" | "bootp" = "ack"): Decision {
  const what = given(x, address);
  if (what.seconds < 1) return silence("no-time-left");
  const binding = x.leases.find(address);
  const renewed = binding !== undefined && binding.state === STATE.bound && holds(binding, x.identity);
  const told = endOf(x.now, what.seconds);
  return {
    outcome: { kind },
    effect: {
      kind: "bind",
      address,
      // A renewal does not shorten what the client was told before. Of a pair, the ledger keeps the later end.
      until: renewed && goesOn(x) && !x.failover.isPaired ? Math.max(told, binding.until) : told,
      renewed,
      wanted: what.wanted,
      nonce: takesNonce(x) ? x.random(NONCE_SIZE) : undefined,
    },
    given: what,
  };
}

/**
 * Whether a client goes on with what it has, and believes in the end that it was told before if the ACK is lost. Who takes
 * an offer has left what it had.
 */
export function goesOn({ request }: Exchange): boolean {
  if (request.type !== TYPE.request) return false;
  // RFC 2131 section 4.3.2: who takes an offer has no address yet, though some name the server also when they renew.
  return request.ciaddr !== 0 || !request.options.has(CODE.serverIdentifier);
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
