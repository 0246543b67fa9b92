import { isIPv4, isIPv6 } from "node:net";

const IPV4_MAPPED = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;
/** Some proxies tell the caller's port too. */
const WITH_PORT = /^(?:\[([0-9a-f:.]{2,45})\]|(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})):\d{1,5}$/i;

export interface SourceNetwork {
  /** Who has one address of an IPv6 /64 has all of it. */
  readonly host: string;
  /** The /24 or /48 around it. */
  readonly network: string;
}

const UNKNOWN: SourceNetwork = { host: "unknown", network: "unknown" };

/** Where a caller is, as far as limits go; one who is gone already has no address. IPv4 in IPv6 clothes is IPv4. */
export function sourceNetwork(address: string | undefined): SourceNetwork {
  if (address === undefined) return UNKNOWN;
  const [, bracketed, dotted] = WITH_PORT.exec(address) ?? [];
  const bare = (bracketed ?? dotted ?? address).replace(/%.*$/, "");
  const plain = IPV4_MAPPED.exec(bare)?.[1] ?? bare;
  if (isIPv4(plain)) return { host: plain, network: `${plain.split(".").slice(0, 3).join(".")}.0/24` };
  if (!isIPv6(plain)) return UNKNOWN;
  // The URL parser writes an address in its one shortest form; "::" stands for the zeros that are missing.
  const [head = "", tail = ""] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - front.length - back.length).fill("0");
  const groups = [...front, ...zeros, ...back];
  return { host: `${groups.slice(0, 4).join(":")}::/64`, network: `${groups.slice(0, 3).join(":")}::/48` };
}
