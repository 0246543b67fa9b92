export const MAX_LABEL = 63;
/** RFC 1035 section 3.1, as text: the length of the first label and the root take an octet each on the wire. */
export const MAX_NAME = 253;

/** A domain name as DNS compares it: lower case, without the dot at its end; undefined when it is none. */
export function canonicalName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  const isName = labels.every((label) => /^[!-~]+$/.test(label) && label.length <= MAX_LABEL);
  return isName && name.length <= MAX_NAME ? name : undefined;
}

/** The octets of a canonical name (RFC 1035 section 3.1), not compressed. */
export function nameOctets(name: string): Uint8Array {
  const octets =
    name === "" ? [] : name.split(".").flatMap((label) => [label.length, ...Buffer.from(label, "latin1")]);
  return Uint8Array.from([...octets, 0]);
}

/** Whether a name is a zone's own or below it. */
export const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** The name of an address in the reverse tree (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseName(address: Uint8Array): string {
  if (address.length === 4) return `${[...address].reverse().join(".")}.in-addr.arpa`;
  const digits = [...Buffer.from(address).toString("hex")].reverse();
  return `${digits.join(".")}.ip6.arpa`;
}

/**
 * What a client calls itself as one label that DNS takes (RFC 1123 section 2.1): letters, digits and hyphens.
 * Other characters become hyphens; undefined when nothing is left.
 */
export function hostLabel(text: string, most = MAX_LABEL): string | undefined {
  const label = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9-]+/g, "-")
    .slice(0, Math.max(0, Math.min(most, MAX_LABEL)))
    .replace(/^-+|-+$/g, "");
  return label === "" ? undefined : label;
}
