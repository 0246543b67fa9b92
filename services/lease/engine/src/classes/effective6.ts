import type { ClassRule } from "@frontdesk/lease-config/config";
import type { Config6, Pool6, Reservation6, Scope6, Subnet6 } from "@frontdesk/lease-config/config6";
import type { Options } from "@frontdesk/lease-options/option-types";

/** What all levels together give a client of DHCPv6. */
export interface Effective6 {
  readonly options: Options;
  readonly preferredTime: number;
  readonly validTime: number;
}

/** Where a client stands in the configuration. */
export interface Levels6 {
  readonly subnet: Subnet6;
  readonly pool: Pool6 | undefined;
  readonly classes: readonly ClassRule[];
  readonly reservation: Reservation6 | undefined;
}

/** What most clients get: those of a pool that are in no class. */
const plain = new WeakMap<Pool6, Effective6>();

/** Reservation, classes, pool, subnet, shared network, server: the first that says something is heard. */
export function effectiveFor6(config: Config6, levels: Levels6): Effective6 {
  const { pool, classes, reservation, subnet } = levels;
  if (!pool || classes.length > 0 || reservation || pool.subnet !== subnet) return merge(config, levels);
  let effective = plain.get(pool);
  if (!effective) {
    effective = merge(config, levels);
    plain.set(pool, effective);
  }
  return effective;
}

function merge(config: Config6, { reservation, classes, pool, subnet }: Levels6): Effective6 {
  const scopes: Scope6[] = [
    ...(reservation ? [reservation.scope] : []),
    ...classes.map(({ scope6 }) => scope6),
    ...(pool ? [pool.scope] : []),
    subnet.scope,
    subnet.network.scope,
    config.scope,
  ];
  const options: Options = new Map();
  for (const scope of scopes) {
    for (const [code, value] of scope.options) if (!options.has(code)) options.set(code, value);
  }
  const first = (key: "preferredTime" | "validTime") =>
    scopes.find((scope) => scope[key] !== undefined)?.[key] ?? config[key];
  const validTime = first("validTime");
  // Where an inner level shortens only the one, the other stays within it.
  return { options, preferredTime: Math.min(first("preferredTime"), validTime), validTime };
}
