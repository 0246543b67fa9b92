import type { Lease, LeaseEvent } from "@frontdesk/lease-control-api/schemas";

/** Newest events of a lease: the decision is among them, unless it is long ago. */
const MAX_LOOKED_AT = 50;
/** Where other devices' events about the address are among them. */
const MAX_LOOKED_AT_OF_ALL = 1000;

const isV6 = ({ ip }: Pick<Lease, "ip">) => ip.includes(":");

export type Asked = NonNullable<ReturnType<typeof asking>>;

/** The device as it would ask again; undefined where it is known by nothing that the engine can be asked by. */
export function asking(lease: Lease) {
  const { ip, mac, client_id, duid, iaid, relay, circuit_id, remote_id, vendor } = lease;
  // RFC 6221: a relay on the link itself names no link.
  const isRelayed = relay !== null || circuit_id !== null || remote_id !== null;
  const near = {
    ...(lease.interface ? { interface: lease.interface } : {}),
    ...(remote_id ? { remote_id } : {}),
  };
  if (!isV6(lease)) {
    return mac
      ? {
          mac,
          ...near,
          ...(client_id ? { client_id } : {}),
          ...(relay ? { giaddr: relay } : {}),
          ...(circuit_id ? { circuit_id } : {}),
          ...(vendor ? { options: { vendor_class: vendor } } : {}),
        }
      : undefined;
  }
  return duid
    ? {
        duid,
        ...near,
        prefix: ip.includes("/"),
        ...(iaid === null ? {} : { iaid }),
        ...(circuit_id ? { interface_id: circuit_id } : {}),
        // The hardware address is told by a relay, and by nobody else.
        ...(isRelayed && mac ? { mac } : {}),
        ...(relay ? { link: relay } : {}),
      }
    : undefined;
}

/** What the history is asked for the decision. A device of DHCPv6 is known by its DUID, which cannot be asked by. */
export const eventsAbout = (lease: Lease) =>
  isV6(lease) || !lease.mac
    ? { ip: lease.ip, limit: MAX_LOOKED_AT_OF_ALL }
    : { ip: lease.ip, limit: MAX_LOOKED_AT, mac: lease.mac };

/** Of events about its address, newest first, the one that decided the lease; null where there is none. */
export function decisionAmong(lease: Lease, events: readonly LeaseEvent[]): LeaseEvent | null {
  const own = events.filter(({ duid }) => !isV6(lease) || duid === lease.duid);
  return own.find(({ type }) => type !== "renew") ?? own[0] ?? null;
}
