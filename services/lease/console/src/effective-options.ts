import { tableOf, tablesOf, textOf, type Values } from "./config-values.ts";
import { isV6 } from "./subnet-draft.ts";
import { t } from "./words/subnets.ts";

export interface EffectiveOption {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

/** What a device is told in a subnet, each with where it comes from: the nearest one counts. A pool's own are beside it. */
export function effectiveOptions(config: Values, subnet: Values): EffectiveOption[] {
  const shared = tablesOf(config.shared_network).find(({ name }) => name === subnet.shared_network);
  const isOf6 = isV6(textOf(subnet.network));
  const scopes: ReadonlyArray<readonly [from: string, options: unknown]> = [
    [t.global, isOf6 ? tableOf(config.dhcpv6).options : config.options],
    ...(shared
      ? [[t.sharedNetwork(textOf(shared.name)), isOf6 ? shared.options6 : shared.options] as const]
      : []),
    [t.subnet, subnet.options],
  ];
  const found = new Map<string, EffectiveOption>();
  for (const [from, options] of scopes) {
    for (const [name, value] of Object.entries(tableOf(options)))
      found.set(name, { name, value: textOf(value), from });
  }
  const ofPools = [...tablesOf(subnet.pool), ...tablesOf(subnet.prefix_pool)].flatMap((pool) =>
    Object.entries(tableOf(pool.options)).map(([name, value]) => ({
      name,
      value: textOf(value),
      from: t.pool(textOf(pool.range ?? pool.prefix)),
    })),
  );
  return [...found.values(), ...ofPools];
}
