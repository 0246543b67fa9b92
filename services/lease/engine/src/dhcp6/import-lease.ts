import { type Config6, networkOf6, poolOf6 } from "@frontdesk/lease-config/config6";
import { isReservedInterfaceId } from "@frontdesk/lease-config/reserved-interface-ids";
import { prefixBase } from "@frontdesk/lease-options/address";
import type { Failover } from "../ha/failover.ts";
import { isExcluded } from "../leases/binding.ts";
import { type ForeignLease6, isPrefix } from "../leases/lease6-record.ts";
import type { Batch6 } from "../loop/batch6.ts";
import { type ImportVerdict, importVerdict } from "../loop/import-verdict.ts";
import type { Overlaps } from "./overlaps.ts";
import { reservationOf6 } from "./reservation.ts";

interface View {
  readonly config: Config6;
  readonly isServer: (address: bigint) => boolean;
  readonly part: Batch6;
  readonly failover: Failover;
  readonly overlaps: Overlaps;
  readonly now: number;
}

/** Whether a lease of another server goes on here. */
export function importVerdict6(
  lease: ForeignLease6,
  identity: Uint8Array,
  until: number,
  { config, isServer, part, failover, overlaps, now }: View,
): ImportVerdict {
  const { address, length, duid, mac } = lease;
  const network = networkOf6(config, address);
  if (!network) return { refusal: "no_pool" };
  const reservation = reservationOf6(network, { duid, mac, interfaceId: null, remoteId: null });
  const reserved = isPrefix(lease) ? reservation?.prefix : reservation?.ip;
  const isReserved = typeof reserved === "object" ? isSame(reserved, lease) : reserved === address;
  if (reserved !== undefined ? !isReserved : config.reserved.has(address)) return { refusal: "reserved" };
  if (!isReserved && !isGiven(config, address, length)) return { refusal: "no_pool" };
  if (isServer(address)) return { refusal: "own_address" };
  if (overlaps.at(address, { now, identity, reservation, leases: part.leases })) return { refusal: "taken" };
  return importVerdict(
    { address, identity, network: network.index, isReserved, until },
    part.leases,
    failover,
  );
}

const isSame = (one: Pick<ForeignLease6, "address" | "length">, other: ForeignLease6) =>
  one.address === other.address && one.length === other.length;

/** Whether a pool gives it: an address, or a prefix of that length. */
function isGiven({ sortedPools }: Config6, address: bigint, length: number): boolean {
  const pool = poolOf6(sortedPools, address);
  if (!pool || pool.length !== length || isExcluded(pool, address)) return false;
  if (prefixBase(address, length) !== address) return false;
  return pool.shift > 0 || !isReservedInterfaceId(address);
}
