import { formatPrefix6, prefixEnd } from "@frontdesk/lease-options/address";
import { isWithin6, type Pool6, type Range6, type Subnet6 } from "./config6.ts";
import { type RawSubnet, readRange6 } from "./raw-config.ts";
import { refuseOfIpv4, type ScopeOf6 } from "./read-scope6.ts";
import { reservedIn } from "./reserved-interface-ids.ts";
import type { Placed, Report } from "./shape.ts";

type RawPool = NonNullable<RawSubnet["pool"]>[number];
type RawPrefixPool = NonNullable<RawSubnet["prefix_pool"]>[number];

const ADDRESS_BITS = 128;
/** A pool up to this size has a map of unused addresses, which must know what is never given. */
const MAX_MAPPED = 2n ** 24n;

function checkClasses(
  names: ReadonlyArray<Placed<string>> | undefined,
  known: ReadonlySet<string>,
  report: Report,
): string[] {
  for (const { value, place } of names ?? []) {
    if (!known.has(value)) report.add(place, `there is no [[class]] with the name "${value}".`);
  }
  return (names ?? []).map(({ value }) => value);
}

export function readPool6(
  raw: RawPool,
  subnet: Subnet6,
  scopeOf: ScopeOf6,
  classNames: ReadonlySet<string>,
  index: number,
  report: Report,
): Pool6 | undefined {
  refuseOfIpv4(raw, report);
  const range: Range6 | undefined = raw.range
    ? readRange6(raw.range.value, report, "range")
    : report.add(raw.place, 'a [[subnet.pool]] needs range = "fd77::1000 - fd77::ffff".');
  const classes = checkClasses(raw.classes, classNames, report);
  const scope = scopeOf(raw);
  if (!range || !raw.range) return undefined;
  const { first, last } = range;
  if (!isWithin6(subnet, first) || !isWithin6(subnet, last)) {
    return report.add(raw.range.place, `the range must lie inside ${subnet.name}.`);
  }
  const excluded = (raw.exclude ?? []).flatMap(({ value, place }) => {
    const one = readRange6(value, report, "each of exclude");
    if (one && (one.first < first || one.last > last)) {
      report.add(place, "what is excluded must lie inside the pool's range.");
    }
    return one ?? [];
  });
  const never = last - first < MAX_MAPPED ? reservedIn(first, last) : [];
  const common = { index, first, last, length: ADDRESS_BITS, shift: 0, exclude: undefined };
  return { ...common, excluded: joined([...excluded, ...never]), classes, scope, subnet };
}

export function readPrefixPool(
  raw: RawPrefixPool,
  subnet: Subnet6,
  scopeOf: ScopeOf6,
  classNames: ReadonlySet<string>,
  index: number,
  report: Report,
): Pool6 | undefined {
  refuseOfIpv4(raw, report);
  const classes = checkClasses(raw.classes, classNames, report);
  const scope = scopeOf(raw);
  if (!raw.prefix || !raw.delegated_length) {
    const misread = ["prefix", "delegated_length"].every((key) => Object.hasOwn(raw, key));
    if (!misread) {
      report.add(
        raw.place,
        'a [[subnet.prefix_pool]] needs prefix = "fd77:1::/48" and delegated_length = 56.',
      );
    }
    return undefined;
  }
  const prefix = raw.prefix.value;
  const { value: length, place } = raw.delegated_length;
  if (length < prefix.length) {
    return report.add(place, `delegated_length must be at least that of ${formatPrefix6(prefix)}.`);
  }
  const shift = ADDRESS_BITS - length;
  const last = (prefixEnd(prefix.address, prefix.length) >> BigInt(shift)) << BigInt(shift);
  const common = { index, first: prefix.address, last, length, shift, excluded: [] };
  return { ...common, classes, exclude: readExclude(raw, length, report), scope, subnet };
}

/** RFC 6603: the part of each prefix that its router keeps for its own uplink. */
function readExclude(raw: RawPrefixPool, delegated: number, report: Report): Pool6["exclude"] {
  if (!raw.exclude_length) {
    if (raw.exclude_number) report.add(raw.exclude_number.place, "exclude_number needs exclude_length.");
    return undefined;
  }
  const { value: length, place } = raw.exclude_length;
  if (length <= delegated) return report.add(place, "exclude_length must be longer than delegated_length.");
  const number = raw.exclude_number?.value ?? 0;
  if (length - delegated < 32 && number >= 2 ** (length - delegated)) {
    const most = 2 ** (length - delegated) - 1;
    return report.add(raw.exclude_number?.place ?? place, `exclude_number must be at most ${most}.`);
  }
  return { length, number };
}

/** Ranges in order and apart from each other. */
function joined(ranges: readonly Range6[]): Range6[] {
  const apart: Range6[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const last = apart.at(-1);
    if (last && range.first <= last.last + 1n) {
      if (range.last > last.last) apart[apart.length - 1] = { first: last.first, last: range.last };
    } else apart.push(range);
  }
  return apart;
}
