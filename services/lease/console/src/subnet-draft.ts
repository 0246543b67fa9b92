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

/** What the drafts of subnets are called, before the network of each. */
export const SUBNET_DRAFTS = "lease-subnets:";

export interface SubnetDraft {
  readonly network: string;
  readonly shared_network: string;
  readonly relays: string;
  readonly default_time: string;
  readonly options: readonly OptionRow[];
  readonly pools: readonly PoolDraft[];
}

export const NEW_POOL: PoolDraft = { range: "", exclude: "", classes: "", rest: {} };

const typesFor = (network: string, config: Values) =>
  optionTypes(config, network.includes(":") ? "v6" : "v4");

export function subnetDraft(subnet: Values, config: Values): SubnetDraft {
  const network = textOf(subnet.network);
  return {
    network,
    shared_network: textOf(subnet.shared_network),
    relays: textOf(subnet.relays),
    default_time: textOf(subnet.default_time),
    options: optionRows(subnet.options, typesFor(network, config)),
    pools: tablesOf(subnet.pool).map(({ range, exclude, classes, ...rest }) => ({
      range: textOf(range),
      exclude: textOf(exclude),
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
    default_time: typedValue(typed.default_time, "number"),
    options: optionsOf(typed.options, typesFor(typed.network, config)),
    pool: typed.pools.length > 0 ? typed.pools.map(poolOf) : undefined,
  });

const poolOf = ({ range, exclude, classes, rest }: PoolDraft): Values =>
  withKeys(rest, {
    range: typedValue(range, "text"),
    exclude: typedValue(exclude, "list"),
    classes: typedValue(classes, "list"),
  });

export const subnetInWords = (typed: SubnetDraft): Array<readonly [name: string, words: string]> => [
  [t.network, typed.network],
  [t.leaseTime, typed.default_time],
  [t.sharedNetworkName, typed.shared_network],
  [t.itsRelays, typed.relays],
  ...typed.pools.map((pool, at) => [t.poolNumber(at + 1), poolInWords(pool)] as const),
  ...optionsInWords(typed.options),
];

const poolInWords = ({ range, exclude, classes, rest }: PoolDraft) =>
  [range, exclude && t.without(exclude), classes && t.onlyFor(classes), ...restInWords(rest)]
    .filter(Boolean)
    .join("; ");
