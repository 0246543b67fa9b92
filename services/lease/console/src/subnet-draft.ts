import { tablesOf, textOf, typedValue, type Values, withKeys } from "./config-values.ts";
import { optionsInWords, restInWords } from "./config-words.ts";
import { type OptionRow, optionRows, optionsOf, optionTypes } from "./option-values.ts";
import { t } from "./words/subnets.ts";

export interface PoolDraft {
  readonly range: string;
  readonly exclude: string;
  readonly classes: string;
  /** The keys that the form does not show. They go with the pool, whatever its range is by then. */
  readonly rest: Values;
}

/** Of prefixes that are delegated to routers (DHCPv6). */
export interface PrefixPoolDraft {
  readonly prefix: string;
  readonly delegated_length: string;
  readonly classes: string;
  readonly rest: Values;
}

/** What the drafts of subnets are called, before the network of each. */
export const SUBNET_DRAFTS = "lease-networks:";

export interface SubnetDraft {
  readonly network: string;
  readonly shared_network: string;
  readonly relays: string;
  readonly time: string;
  readonly options: readonly OptionRow[];
  readonly pools: readonly PoolDraft[];
  readonly prefixPools: readonly PrefixPoolDraft[];
}

export const NEW_POOL: PoolDraft = { range: "", exclude: "", classes: "", rest: {} };

export const NEW_PREFIX_POOL: PrefixPoolDraft = { prefix: "", delegated_length: "", classes: "", rest: {} };

export const isV6 = (network: string) => network.includes(":");

/** The key of how long a lease lasts. */
export const timeKey = (network: string) => (isV6(network) ? "valid_time" : "default_time");

const typesFor = (network: string, config: Values) => optionTypes(config, isV6(network) ? "v6" : "v4");

export function subnetDraft(subnet: Values, config: Values): SubnetDraft {
  const network = textOf(subnet.network);
  return {
    network,
    shared_network: textOf(subnet.shared_network),
    relays: textOf(subnet.relays),
    time: textOf(subnet[timeKey(network)]),
    options: optionRows(subnet.options, typesFor(network, config)),
    pools: tablesOf(subnet.pool).map(({ range, exclude, classes, ...rest }) => ({
      range: textOf(range),
      exclude: textOf(exclude),
      classes: textOf(classes),
      rest,
    })),
    prefixPools: tablesOf(subnet.prefix_pool).map(({ prefix, delegated_length, classes, ...rest }) => ({
      prefix: textOf(prefix),
      delegated_length: textOf(delegated_length),
      classes: textOf(classes),
      rest,
    })),
  };
}

/** The subnet as it was typed, over the keys of the stored one that the form does not show. */
export const subnetOf = (typed: SubnetDraft, before: Values, config: Values): Values =>
  withKeys(before, {
    network: typed.network.trim(),
    shared_network: typedValue(typed.shared_network, "text"),
    relays: typedValue(typed.relays, "list"),
    // That of the other family goes where the network was one of it.
    default_time: undefined,
    valid_time: undefined,
    [timeKey(typed.network)]: typedValue(typed.time, "number"),
    options: optionsOf(typed.options, typesFor(typed.network, config)),
    pool: typed.pools.length > 0 ? typed.pools.map(poolOf) : undefined,
    prefix_pool: typed.prefixPools.length > 0 ? typed.prefixPools.map(prefixPoolOf) : undefined,
  });

const poolOf = ({ range, exclude, classes, rest }: PoolDraft): Values =>
  withKeys(rest, {
    // Also where it is empty: what is wrong with it is told at its field.
    range: range.trim(),
    exclude: typedValue(exclude, "list"),
    classes: typedValue(classes, "list"),
  });

const prefixPoolOf = ({ prefix, delegated_length, classes, rest }: PrefixPoolDraft): Values =>
  withKeys(rest, {
    prefix: prefix.trim(),
    delegated_length: typedValue(delegated_length, "number"),
    classes: typedValue(classes, "list"),
  });

export const subnetInWords = (typed: SubnetDraft): Array<readonly [name: string, words: string]> => [
  [t.network, typed.network],
  [t.leaseTime, typed.time],
  [t.sharedNetworkName, typed.shared_network],
  [t.itsRelays, typed.relays],
  ...typed.pools.map((pool, at) => [t.poolNumber(at + 1), poolInWords(pool)] as const),
  ...typed.prefixPools.map((pool, at) => [t.prefixPoolNumber(at + 1), prefixPoolInWords(pool)] as const),
  ...optionsInWords(typed.options),
];

const poolInWords = ({ range, exclude, classes, rest }: PoolDraft) =>
  [range, exclude && t.without(exclude), classes && t.onlyFor(classes), ...restInWords(rest)]
    .filter(Boolean)
    .join("; ");

const prefixPoolInWords = ({ prefix, delegated_length, classes, rest }: PrefixPoolDraft) =>
  [
    prefix,
    delegated_length && t.inPrefixesOf(delegated_length),
    classes && t.onlyFor(classes),
    ...restInWords(rest),
  ]
    .filter(Boolean)
    .join("; ");
