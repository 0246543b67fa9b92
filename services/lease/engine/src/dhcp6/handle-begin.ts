import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { isOnLink } from "./allocation-request.ts";
import { type Decision6, type Exchange6, silence6 } from "./exchange.ts";
import { assign } from "./grant.ts";
import type { Ia } from "./ia.ts";
import { firstOption } from "./options.ts";

const NOT_ON_LINK = { code: STATUS6.notOnLink, text: "an address is not of this link" } as const;

/** A network with nothing to give answers INFORMATION-REQUEST alone. */
export const isStateless = ({ network }: Pick<Exchange6, "network">) =>
  network.pools.length === 0 && network.reservations.size === 0;

/** RFC 9915 section 18.3.1 and 18.3.9: an offer for each IA, or, where both want it so, leases at once. */
export function handleSolicit(x: Exchange6): Decision6 {
  if (isStateless(x)) return silence6("stateless");
  const rapid =
    x.v6.rapidCommit &&
    x.failover.isNormal &&
    firstOption(x.request.options, CODE6.rapidCommit) !== undefined;
  const ias = x.ias.map((ia) => assign(x, ia, rapid));
  const isGiven = ias.some(({ leases }) => leases.length > 0);
  if (rapid && isGiven) return { outcome: { kind: "reply" }, type: TYPE6.reply, ias, rapid, isNew: true };
  return { outcome: { kind: "advertise" }, type: TYPE6.advertise, ias };
}

/** RFC 9915 section 18.3.2. */
export function handleRequest6(x: Exchange6): Decision6 {
  if (isStateless(x)) return silence6("stateless");
  const ias = x.ias.map((ia) => requested(x, ia));
  return { outcome: { kind: "reply" }, type: TYPE6.reply, ias, isNew: true };
}

/** An address of another link means that the client does not know where it is: it is told, and gets no other. */
function requested(x: Exchange6, ia: Ia): Ia {
  const isAddress = ia.type === CODE6.iaNa;
  const isElsewhere = ia.leases.some((lease) => lease.address !== 0n && !isOnLink(x, lease));
  if (isAddress && isElsewhere) return { ...ia, leases: [], status: NOT_ON_LINK };
  return assign(x, ia, true);
}
