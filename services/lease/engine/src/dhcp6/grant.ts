import type { Pool6 } from "@frontdesk/lease-config/config6";
import { CODE6, STATUS6 } from "@frontdesk/lease-options/option6-table";
import { type Effective6, effectiveFor6 } from "../classes/effective6.ts";
import { FOREVER } from "../leases/binding.ts";
import { ADDRESS_BITS } from "../leases/lease6-record.ts";
import { chooseFor, lengthFor, whyNoMore } from "./allocation-request.ts";
import type { Exchange6, Given6 } from "./exchange.ts";
import type { Ia, IaLease, Status6 } from "./ia.ts";
import { identityOf } from "./identity.ts";
import { firstOption, readCodes } from "./options.ts";

export const NO_LEASES = {
  [CODE6.iaNa]: { code: STATUS6.noAddrsAvail, text: "no address is free", reason: "no-free-address" },
  [CODE6.iaPd]: { code: STATUS6.noPrefixAvail, text: "no prefix is free", reason: "no-free-address" },
} as const satisfies Record<Ia["type"], Status6>;
/** As short as the others: an IA has its room in the answer. */
const LIMITED = "limit reached";

/** What a client gets with an address or a prefix. */
export function given6(x: Exchange6, ia: Ia, address: bigint): Given6 {
  const pool = x.part.leases.poolOf(address);
  const length = lengthFor(x, ia, address);
  const { preferredTime, validTime: wanted } = effectiveOf6(x, pool);
  const valid = x.failover.isPaired ? withinLead(x, ia, address, wanted) : wanted;
  const preferred = Math.min(preferredTime, valid);
  return { address, length, preferred, valid, wanted, pool, exclude: excludeOf(x, address, length, pool) };
}

/** No client is told more than the peer could know. */
function withinLead(x: Exchange6, { type, iaid }: Ia, address: bigint, wanted: number): number {
  const reserved = type === CODE6.iaPd ? x.reservation?.prefix?.address : x.reservation?.ip;
  const latest = x.failover.latestEnd(address, identityOf(type, iaid, x.duid), address === reserved);
  return latest === FOREVER ? wanted : Math.max(0, Math.min(wanted, latest - x.now));
}

/** Whether a client may be told a time: of a pair, a node without contact may give new leases none. */
export const hasTime = (x: Exchange6, { valid }: Given6): boolean => !x.failover.isPaired || valid >= 1;

/** What an IA is told that could have a lease, but for no time. */
export function withoutTime(x: Exchange6, ia: Ia): Ia {
  x.trail?.push({ kind: "pair", sentence: x.failover.explainNoAddress() });
  return { ...ia, leases: [], status: NO_LEASES[ia.type] };
}

export function effectiveOf6(x: Exchange6, pool: Pool6 | undefined): Effective6 {
  const subnet = pool?.subnet ?? x.subnet;
  return effectiveFor6(x.v6, { subnet, pool, classes: x.classes, reservation: x.reservation });
}

/** RFC 6603 section 4.1: told to routers that ask for it. In a longer prefix than the pool's it may not lie at all. */
function excludeOf(x: Exchange6, address: bigint, length: number, pool: Pool6 | undefined) {
  if (!pool?.exclude || length > pool.length) return undefined;
  const asked = readCodes(firstOption(x.request.options, CODE6.optionRequest));
  if (!asked.includes(CODE6.prefixExclude)) return undefined;
  const { length: own, number } = pool.exclude;
  return { address: address | (BigInt(number) << BigInt(ADDRESS_BITS - own)), length: own };
}

/** An IA gets a lease, bound or only offered; or says why not. One IA's failure stays in that IA. */
export function assign(x: Exchange6, ia: Ia, isBinding: boolean): Ia {
  const choice = chooseFor(x, ia);
  const refused = choice ? whyNoMore(x, ia) : "no-free-address";
  if (!choice) x.failover.refused();
  if (!choice || refused) {
    if (!choice && x.failover.isPaired)
      x.trail?.push({ kind: "pair", sentence: x.failover.explainNoAddress() });
    const reason = refused ?? "no-free-address";
    x.trail?.push({ kind: "none", type: ia.type, reason });
    x.effects.refuse(x, ia, reason);
    const status = choice ? { ...NO_LEASES[ia.type], text: LIMITED, reason } : NO_LEASES[ia.type];
    return { ...ia, leases: [], status };
  }
  const lease = given6(x, ia, choice.address);
  if (!hasTime(x, lease)) return withoutTime(x, ia);
  x.trail?.push({
    kind: "choice",
    ...choice,
    length: lease.length,
    seconds: lease.valid,
    wanted: lease.wanted,
  });
  if (isBinding) x.effects.bind(x, ia, lease);
  else x.effects.offer(x, ia, lease);
  return { ...ia, leases: [lease], status: undefined };
}

/** RFC 9915 section 18.3.4: what the client must stop using. */
export const ended = ({ address, length }: IaLease): IaLease => ({
  address,
  length,
  preferred: 0,
  valid: 0,
});
