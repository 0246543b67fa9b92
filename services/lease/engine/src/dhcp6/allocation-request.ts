import { isWithin6, type Pool6, poolOf6 } from "@frontdesk/lease-config/config6";
import { duidKey, interfaceIdKey } from "@frontdesk/lease-config/identifiers";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import { prefixBase, sameBytes } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6 } from "@frontdesk/lease-options/option6-table";
import {
  type AllocationRequest,
  type Choice,
  chooseAddress,
  isOpenTo,
  keptAt,
  type Rights,
} from "../leases/allocate.ts";
import { type Binding, isActive, STATE } from "../leases/binding.ts";
import { hasMissedRenewal, isSame } from "../leases/gives-way.ts";
import { ADDRESS_BITS, type Lease6Record } from "../leases/lease6-record.ts";
import { type Exchange6, newcomerOf } from "./exchange.ts";
import type { Ia, IaLease } from "./ia.ts";
import { identityOf, identityOfRecord } from "./identity.ts";
import type { Refusal6 } from "./outcomes.ts";
import { lengthAt } from "./overlaps.ts";
import { remoteKeys, reservationOf6 } from "./reservation.ts";

/** New leases of one client within an hour; a pool of IPv6 alone would set no bound to them. */
const MAX_GRANTS6 = 64;

/** What an IA may be given. */
export function allocationRequest6(x: Exchange6, ia: Ia): AllocationRequest<bigint, Pool6> {
  const identity = identityOf(ia.type, ia.iaid, x.duid);
  const isPd = ia.type === CODE6.iaPd;
  return {
    now: x.now,
    identity,
    network: x.network.index,
    pools: x.network.pools.filter((pool) => isPd === pool.length < ADDRESS_BITS && mayUse(x, pool)),
    reserved: isPd ? x.reservation?.prefix?.address : x.reservation?.ip,
    requested: ia.leases.map((each) => hintOf(x, each)).find((each) => each !== undefined),
    isServer: x.isServer,
    rights: rightsOf(x),
    isReserved: (address) => x.v6.reserved.has(address) || (!isPd && isReservedInterfaceId(address)),
    overlaps: x.overlaps.isNone
      ? undefined
      : (address) =>
          x.overlaps.at(address, {
            now: x.now,
            identity,
            reservation: x.reservation,
            leases: x.part.leases,
          }),
    yields: (holder) => yields(x, holder),
    place: x.placeOf(x.network.name, identity),
  };
}

/**
 * Whether who has a reserved lease gives it up for this client: it is reserved for both. Never within one message, and
 * never to a client that goes on with what was given to another since: two devices for which one address is reserved
 * would take it from each other without end. It gives way at once to what is there in its place: the system that a boot
 * program starts, a new device on the port that the lease is reserved for. Another device, or another interface of the same
 * machine, gets it when the one that has it has not renewed it in time: it may use it still.
 */
function yields(x: Exchange6, holder: Binding<bigint>): boolean {
  const begins = x.request.type === TYPE6.solicit || x.request.type === TYPE6.request;
  if (!begins || x.ias.some((ia) => holds(x, ia, holder))) return false;
  if (holder.state === STATE.offered) return true;
  const record = x.part.find(holder.address);
  if (!record || reservationOf6(x.network, record) !== x.reservation) return false;
  if (!sameBytes(record.duid, x.duid) && isSuccessor(x, record)) return true;
  return hasMissedRenewal(record, x.now) && x.failover.hearsRenewals(holder.address);
}

function isSuccessor({ reservation, relay }: Exchange6, before: Lease6Record): boolean {
  if (isSame(relay.mac, before.mac)) return true;
  const isOfPort = (key: string) => reservation?.keys.includes(key) ?? false;
  const { interfaceId, remoteId } = relay;
  return (
    (isSame(interfaceId, before.interfaceId) && isOfPort(interfaceIdKey(interfaceId as Uint8Array))) ||
    (isSame(remoteId, before.remoteId) && remoteKeys(remoteId as Uint8Array).some(isOfPort))
  );
}

const holds = (x: Exchange6, { type, iaid }: Ia, { identity }: Binding<bigint>) =>
  Buffer.compare(identityOf(type, iaid, x.duid), identity) === 0;

const mayUse = (x: Exchange6, pool: Pool6) =>
  pool.classes.length === 0 || x.classes.some(({ name }) => pool.classes.includes(name));

/** What a client asks for; RFC 9915 section 18.2.1 lets it name nothing, or of a prefix only the length. */
function hintOf(x: Exchange6, { address, length }: IaLease): bigint | undefined {
  if (address === 0n || prefixBase(address, length) !== address) return undefined;
  return lengthOf(x, address) === length ? address : undefined;
}

/** How long a prefix is that begins here: of an address, 128. */
export const lengthOf = (x: Exchange6, address: bigint): number => lengthAt(x.v6, address);

/**
 * The same of what an IA gets there: what it keeps although the nodes of a pair differ has the length that it holds, unless
 * the peer may have made it smaller.
 */
export function lengthFor(x: Exchange6, { type, iaid }: Ia, address: bigint): number {
  const identity = identityOf(type, iaid, x.duid);
  const held = keptAt(x.part.leases, { rights: rightsOf(x), identity }, address)?.length;
  return held === undefined ? lengthOf(x, address) : Math.max(held, x.failover.longestLength(address));
}

const rightsOf = ({ failover }: Exchange6): Rights<bigint> | undefined =>
  failover.isPaired ? failover : undefined;

/** Whether an address or a prefix can be right on the client's link. */
export function isOnLink(x: Exchange6, { address, length }: IaLease): boolean {
  if (length === ADDRESS_BITS) return x.network.subnets.some((subnet) => isWithin6(subnet, address));
  if (prefixBase(address, length) !== address) return false;
  const pool = x.part.leases.poolOf(address);
  const reserved = x.v6.reserved.get(address);
  const network = (pool ?? reserved)?.subnet.network;
  return network === x.network && lengthOf(x, address) === length;
}

/** Which address or prefix an IA gets. */
export function chooseFor(x: Exchange6, ia: Ia): Choice<bigint> | undefined {
  const request = allocationRequest6(x, ia);
  const wanted = ia.leases.find(({ address, length }) => address === 0n && length > 0)?.length;
  const own = x.part.leases.ofClient(request.identity, request.network);
  if (ia.type !== CODE6.iaPd || wanted === undefined || own.length > 0) {
    return chooseAddress(x.part.leases, request) ?? aroundOwn(x, request, own);
  }
  // RFC 8168 section 3.2: the length that the client wants, or else the one next to it.
  const lengths = [...new Set(request.pools.map(({ length }) => length))];
  lengths.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted) || a - b);
  for (const length of lengths) {
    const pools = request.pools.filter((pool) => pool.length === length);
    const choice = chooseAddress(x.part.leases, { ...request, pools });
    if (choice) return choice;
  }
  return chooseAddress(x.part.leases, { ...request, pools: [] });
}

/** Of prefixes that are larger now, the one around what a client has, when there is no other. */
function aroundOwn(
  x: Exchange6,
  request: AllocationRequest<bigint, Pool6>,
  own: ReadonlyArray<Binding<bigint>>,
): Choice<bigint> | undefined {
  for (const { address } of own) {
    const pool = poolOf6(x.v6.sortedPools, address);
    const base = pool && prefixBase(address, pool.length);
    if (base !== undefined && base !== address && isOpenTo(x.part.leases, request, base))
      return { address: base, reason: "unused" };
  }
  return undefined;
}

/**
 * Why an IA gets no more than it holds: its port has as many leases as it may, its client has got so many lately, or its
 * network gave so many to clients that had none.
 */
export function whyNoMore(x: Exchange6, ia: Ia): Refusal6 | undefined {
  const { perPortLimit } = x.config;
  const isPortFull = perPortLimit > 0 && x.part.leases.portUse(x.port) >= perPortLimit;
  const isClientFull = x.grantsOf(x.duid) >= MAX_GRANTS6;
  const isNetworkFull = x.newLeases.isShort(x.network.name) && !x.newLeases.allows(newcomerOf(x));
  if (!isPortFull && !isClientFull && !isNetworkFull) return undefined;
  const identity = identityOf(ia.type, ia.iaid, x.duid);
  const own = x.part.leases.ofClient(identity, x.network.index);
  // What it was offered counts for its port already.
  if (isPortFull && !own.some(({ state }) => isActive(state))) return "port-limit";
  if (own.some(({ address, state }) => state !== STATE.offered || hadBefore(x, identity, address)))
    return undefined;
  if (isClientFull) return "client-limit";
  // Of the identifiers that something is reserved for, the DUID alone cannot be invented a second time.
  const isReserved = x.reservation?.keys.includes(duidKey(x.duid));
  return isNetworkFull && !isReserved && isNew(x, ia) ? "network-limit" : undefined;
}

/** Whether an IA had this lease before, by what is on disk: an offer of it is in the table alone. */
export function hadBefore(x: Exchange6, identity: Uint8Array, address: bigint): boolean {
  const known = x.part.find(address);
  return known !== undefined && sameBytes(identityOfRecord(known), identity);
}

/** Whether an IA counts as a new client: of an address and a prefix of one client, the first does. */
export function isNew(x: Exchange6, { type, iaid }: Ia): boolean {
  const other = type === CODE6.iaPd ? CODE6.iaNa : CODE6.iaPd;
  const held = x.part.leases.ofClient(identityOf(other, iaid, x.duid), x.network.index);
  return x.grantsOf(x.duid) % 2 === 0 && !held.some(({ state }) => state === STATE.bound);
}
