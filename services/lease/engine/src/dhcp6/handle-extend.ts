import { networkOf6, type Pool6 } from "@frontdesk/lease-config/config6";
import { CODE6, STATUS6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import { type AllocationRequest, isOpenTo, isResting, keptAt } from "../leases/allocate.ts";
import { type Binding, isActive, STATE } from "../leases/binding.ts";
import { allocationRequest6, isOnLink, whyNoMore } from "./allocation-request.ts";
import { type Decision6, type Exchange6, silence6 } from "./exchange.ts";
import { assign, ended, given6, hasTime, withoutTime } from "./grant.ts";
import { isStateless } from "./handle-begin.ts";
import type { Ia, IaLease } from "./ia.ts";
import { identityOf } from "./identity.ts";
import { hasOwnKey } from "./reconfigure.ts";

const NO_BINDING = { code: STATUS6.noBinding, text: "no such lease is known" } as const;

/** RFC 9915 section 18.3.4: a client goes on with what this server gave it. */
export function handleRenew(x: Exchange6): Decision6 {
  const isNew = !hasKey(x);
  const answers = x.ias.map((ia) => extended(x, ia));
  if (x.ias.some((ia, i) => !answers[i] && !maySayNo(x, ia))) return silence6("peer-may-know");
  const ias = x.ias.map((ia, i) => answers[i] ?? { ...ia, leases: [], status: NO_BINDING });
  return { outcome: { kind: "reply" }, type: TYPE6.reply, ias, isNew };
}

/** Alone, a node does not speak for what the peer may have given. */
const maySayNo = (x: Exchange6, { leases }: Ia) => leases.every(({ address }) => x.failover.mayNak(address));

/** Whether the client has been given the key that a RECONFIGURE of this server is signed with. */
const hasKey = (x: Exchange6) =>
  x.ias.some((ia) =>
    x.part.leases
      .ofClient(identityOf(ia.type, ia.iaid, x.duid), x.network.index)
      .some(({ address }) => hasOwnKey(x, address)),
  );

/**
 * RFC 9915 section 18.3.5: a client asks all servers to go on. One that knows nothing of it leaves the answer to the
 * server that does.
 */
export function handleRebind(x: Exchange6): Decision6 {
  const { ias } = x;
  const isNew = !hasKey(x);
  const answers = ias.map((ia) => extended(x, ia));
  if (ias.length > 0 && answers.every((answer) => answer === undefined)) return silence6("unknown-client");
  if (ias.some((ia, i) => !answers[i] && !maySayNo(x, ia))) return silence6("peer-may-know");
  const told = answers.map((answer, i) => answer ?? { ...(ias[i] as Ia), leases: [], status: NO_BINDING });
  return { outcome: { kind: "reply" }, type: TYPE6.reply, ias: told, isNew };
}

/** What an IA gets that wants to go on; undefined when nothing is known of it and nothing can be made. */
function extended(x: Exchange6, ia: Ia): Ia | undefined {
  const request = allocationRequest6(x, ia);
  const own = x.part.leases.ofClient(request.identity, x.network.index);
  const current =
    own.find(({ state }) => state === STATE.bound) ??
    keptOutside(x, request, ia) ??
    own.find(({ state }) => isActive(state));
  // RFC 9915 section 18.2.4: a client may name an IA that has no lease yet, in the hope of one.
  if (current || (ia.leases.length === 0 && !isStateless(x))) return goneOn(x, ia, current);
  const open = ia.leases.find(
    (lease) =>
      isOnLink(x, lease) &&
      isOpenTo(x.part.leases, request, lease.address) &&
      !isResting(x.part.leases, request, lease.address) &&
      whyNoMore(x, ia) === undefined,
  );
  if (open) return bound(x, ia, open.address);
  const elsewhere = ia.leases.filter((lease) => !isOnLink(x, lease));
  if (elsewhere.length === 0) return undefined;
  return { ...ia, leases: elsewhere.map(ended), status: undefined };
}

/**
 * Of a pair whose configurations differ, the prefix that a client names and holds where this node has no pool. Of an
 * address it can be told that it is of another link.
 */
function keptOutside(
  x: Exchange6,
  request: AllocationRequest<bigint, Pool6>,
  { type, leases }: Ia,
): Binding<bigint> | undefined {
  if (type !== CODE6.iaPd) return undefined;
  const outside = leases.filter(({ address }) => networkOf6(x.v6, address) === undefined);
  const kept = outside.map(({ address }) => keptAt(x.part.leases, request, address));
  return kept.find((binding) => binding !== undefined);
}

/** Its lease, or another one where that is no longer to be had; all else that it names ends now. */
function goneOn(x: Exchange6, ia: Ia, current: Binding<bigint> | undefined): Ia {
  const request = allocationRequest6(x, ia);
  const { reserved } = request;
  const moves =
    reserved !== undefined &&
    current?.address !== reserved &&
    isOpenTo(x.part.leases, request, reserved) &&
    hasTime(x, given6(x, ia, reserved));
  // What it was only offered is a new lease, with the limits of one.
  const isHeld = current?.state === STATE.bound;
  if (isHeld && !moves && isOpenTo(x.part.leases, request, current.address)) {
    return bound(x, ia, current.address);
  }
  const next = assign(x, ia, true);
  return { ...next, leases: [...next.leases, ...others(x, ia, next.leases)] };
}

function bound(x: Exchange6, ia: Ia, address: bigint): Ia {
  const lease = given6(x, ia, address);
  if (!hasTime(x, lease)) return withoutTime(x, ia);
  x.trail?.push({
    kind: "choice",
    address,
    length: lease.length,
    reason: "held",
    seconds: lease.valid,
    wanted: lease.wanted,
  });
  x.effects.bind(x, ia, lease);
  return { ...ia, leases: [lease, ...others(x, ia, [lease])], status: undefined };
}

/** RFC 9915 section 18.3.4: what the client names and does not get has lifetimes of zero. */
const others = (x: Exchange6, { type, leases }: Ia, given: readonly IaLease[]): IaLease[] =>
  leases
    .filter((lease) => !isOnLink(x, lease) || x.failover.mayNak(lease.address))
    .filter(({ address }) => address !== 0n || type === CODE6.iaNa)
    .filter((lease) => !given.some((each) => each.address === lease.address && each.length === lease.length))
    .map(ended);
