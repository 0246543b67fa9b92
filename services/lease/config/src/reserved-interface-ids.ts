const LOW = (1n << 64n) - 1n;

/** Interface identifiers that no node may have (RFC 5453 and its registry): first and last of each range. */
const RESERVED: ReadonlyArray<readonly [bigint, bigint]> = [
  // The anycast address of a subnet's routers (RFC 4291 section 2.6.1).
  [0n, 0n],
  // What the Ethernet block of IANA would make.
  [0x0200_5eff_fe00_0000n, 0x0200_5eff_feff_ffffn],
  // Anycast addresses of a subnet (RFC 2526).
  [0xfdff_ffff_ffff_ff80n, 0xfdff_ffff_ffff_ffffn],
];

export function isReservedInterfaceId(address: bigint): boolean {
  const id = address & LOW;
  return RESERVED.some(([first, last]) => id >= first && id <= last);
}

/** The addresses of a range that have such an identifier. Few /64 networks at a time: each is looked at. */
export function reservedIn(first: bigint, last: bigint): Array<{ first: bigint; last: bigint }> {
  const found: Array<{ first: bigint; last: bigint }> = [];
  for (let network = first >> 64n; network <= last >> 64n; network++) {
    for (const [from, to] of RESERVED) {
      const one = { first: (network << 64n) | from, last: (network << 64n) | to };
      if (one.last < first || one.first > last) continue;
      found.push({
        first: one.first < first ? first : one.first,
        last: one.last > last ? last : one.last,
      });
    }
  }
  return found;
}
