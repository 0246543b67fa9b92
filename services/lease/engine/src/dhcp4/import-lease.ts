import { type Config, type Pool, type Subnet, subnetOf } from "@frontdesk/lease-config/config";
import { isExcluded } from "../leases/binding.ts";
import type { ForeignLease } from "../leases/lease-record.ts";
import type { Batch } from "../loop/batch.ts";
import { type ImportVerdict, importVerdict } from "../loop/import-verdict.ts";
import { reservationOf } from "./reservation.ts";

/** Files of other servers name no other hardware. */
export const ETHERNET = 1;

interface View {
  readonly config: Config;
  readonly servers: ReadonlySet<number>;
  readonly batch: Batch;
}

/** Whether a lease of another server goes on here. */
export function importVerdict4(
  { ip, mac, clientId }: ForeignLease,
  identity: Uint8Array,
  until: number,
  { config, servers, batch }: View,
): ImportVerdict {
  const subnet = subnetOf(config, ip);
  if (!subnet) return { refusal: "no_pool" };
  const reserved = reservationOf(subnet.network, { mac, clientId, circuitId: null, remoteId: null });
  if (reserved ? reserved.ip !== ip : isReserved(subnet, ip)) return { refusal: "reserved" };
  const isGivenBy = (pool: Pool) => pool.first <= ip && ip <= pool.last && !isExcluded(pool, ip);
  if (!reserved && !subnet.pools.some(isGivenBy)) return { refusal: "no_pool" };
  if (servers.has(ip)) return { refusal: "own_address" };
  const { index: network } = subnet.network;
  const lease = { address: ip, identity, network, isReserved: reserved !== undefined, until };
  return importVerdict(lease, batch.leases, batch.failover);
}

const isReserved = ({ reservations }: Subnet, ip: number) => reservations.some((each) => each.ip === ip);
