import { dnsName, printable } from "../leases/shown-text.ts";

/** The name a client says it has: option 81 (RFC 4702) first, option 12 otherwise. */

const DEPRECATED_ASCII = 0;
const CANONICAL = 0x04;

/** The domain name of option 81, or undefined when there is none that reads. */
export function readFqdn(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length < 4) return undefined;
  const flags = bytes[0] as number;
  const body = bytes.subarray(3);
  // RFC 4702 section 2.1: with E set, the name is in DNS form; otherwise in the old ASCII form.
  const name = (flags & CANONICAL) === DEPRECATED_ASCII ? printable(body) : dnsName(body);
  return name === undefined || name === "" ? undefined : name;
}
