import { isIPv4, isIPv6 } from "node:net";

const IPV4_MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The network that a caller's address is in, as far as limits go: whoever has one address of a /24 or
 * a /64 has many. IPv4 in IPv6 clothes is IPv4.
 */
export function sourceNetwork(address: string): string {
  const plain = IPV4_MAPPED.exec(address)?.[1] ?? address.replace(/%.*$/, "");
  if (isIPv4(plain)) return `${plain.split(".").slice(0, 3).join(".")}.0/24`;
  if (!isIPv6(plain)) return "unknown";
  // The URL parser writes an address in its one shortest form; "::" stands for the zeros that are missing.
  const [head = "", tail = ""] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - front.length - back.length).fill("0");
  return `${[...front, ...zeros, ...back].slice(0, 4).join(":")}::/64`;
}
