import { formatHex, formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from "@frontdesk/lease-options/address";

/** What a server is known by to its clients and to its peer. */
export interface ServerNames {
  readonly v4: readonly number[];
  readonly v6: readonly bigint[];
  readonly duid: Uint8Array | undefined;
}

const isLinkLocal = (address: bigint) => address >> 118n === 0x3fan;

/** As a hello says it: addresses, and the DUID in hex. Nobody is given a link-local address. */
export const namesOf = ({ v4, v6, duid }: ServerNames): string[] => [
  ...(duid ? [formatHex(duid, "")] : []),
  ...v4.map(formatIpv4),
  ...v6.filter((address) => !isLinkLocal(address)).map(formatIpv6),
];

/** A server by what its hello said. */
export function serverOf(names: readonly string[]): ServerNames {
  const v4 = names.map(parseIpv4).filter((address) => address !== undefined);
  const v6 = names.filter((name) => name.includes(":")).map(parseIpv6);
  const duid = names.find((name) => /^[\da-f]+$/.test(name));
  return {
    v4,
    v6: v6.filter((address) => address !== undefined),
    duid: duid === undefined ? undefined : Uint8Array.from(Buffer.from(duid, "hex")),
  };
}
