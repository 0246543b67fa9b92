import { formatHex, formatIpv6 } from "@frontdesk/lease-options/address";
import { CODE6, OPTIONS6, TYPE6_NAMES } from "@frontdesk/lease-options/option6-table";
import { type Ia, readIa } from "./ia.ts";
import type { Packet6 } from "./message.ts";
import type { Option6 } from "./options.ts";

/** A packet for people and for logs: known options by name, unknown ones by number in hex. */
export function describePacket({ message, relays }: Packet6): Record<string, unknown> {
  return {
    type: TYPE6_NAMES.get(message.type) ?? String(message.type),
    xid: `0x${message.xid.toString(16).padStart(6, "0")}`,
    options: message.options.map(describeOption),
    relays: relays.map(({ hops, link, peer, options }) => ({
      hops,
      link: formatIpv6(link),
      peer: formatIpv6(peer),
      options: options.map(describeOption),
    })),
  };
}

/** An option's name and value; one whose bytes do not fit its type is shown raw. */
export function describeOption({ code, value }: Option6): [name: string, value: unknown] {
  const known = OPTIONS6[code];
  if (!known) return [String(code), formatHex(value)];
  if (code === CODE6.iaNa || code === CODE6.iaPd) {
    const ia = readIa(code, value);
    return [known.name, ia ? describeIa(ia) : formatHex(value)];
  }
  try {
    return [known.name, known.type.read(value)];
  } catch {
    return [known.name, formatHex(value)];
  }
}

function describeIa({ type, iaid, t1, t2, leases, status }: Ia): Record<string, unknown> {
  return {
    iaid,
    t1,
    t2,
    leases: leases.map(({ address, length, preferred, valid, exclude }) => ({
      [type === CODE6.iaNa ? "address" : "prefix"]:
        type === CODE6.iaNa ? formatIpv6(address) : `${formatIpv6(address)}/${length}`,
      preferred,
      valid,
      ...(exclude ? { exclude: `${formatIpv6(exclude.address)}/${exclude.length}` } : {}),
    })),
    ...(status ? { status } : {}),
  };
}
