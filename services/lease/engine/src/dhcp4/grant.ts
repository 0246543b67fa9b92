import { readU32 } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { effectiveFor } from "../classes/effective.ts";
import { FOREVER } from "../leases/lease-table.ts";
import { drop, type Exchange, type Step } from "./exchange.ts";

const NONCE_SIZE = 16;

/** For how long, and what is written down for it. */
export const grant: Step = (x) => {
  if (x.replyType === 0) return drop(x, "a message this server does not answer");
  if (x.address === 0) return "continue";
  const effective = effectiveFor(x, x.address);
  x.effective = effective;
  x.leaseTime = x.request.type === 0 ? FOREVER : timeFor(x);
  x.trail?.push(
    x.leaseTime === FOREVER ? "It may keep it for ever." : `It may keep it for ${x.leaseTime} seconds.`,
  );
  x.change =
    x.replyType === TYPE.offer
      ? { kind: "offer", address: x.address, until: x.now + x.config.offerTime }
      : {
          kind: "bind",
          address: x.address,
          until: x.leaseTime === FOREVER ? FOREVER : Math.min(x.now + x.leaseTime, FOREVER - 1),
          renewed: x.renewed,
          nonce: takesNonce(x) ? x.random(NONCE_SIZE) : undefined,
        };
  return "continue";
};

/** RFC 2131 section 4.3.1: what the client asks for, within what the configuration allows. */
function timeFor(x: Exchange): number {
  const { defaultTime, minTime, maxTime } = x.effective as NonNullable<Exchange["effective"]>;
  const asked = x.request.options.get(CODE.leaseTime);
  if (asked?.length !== 4) return defaultTime;
  return Math.max(minTime, Math.min(readU32(asked, 0), maxTime));
}

/** RFC 6704 section 3.1.1: the client lists the algorithms it knows; 1 is HMAC-MD5. */
export const takesNonce = (x: Exchange) => x.request.options.get(CODE.forceRenewNonce)?.includes(1) ?? false;
