import type { ClassRule, Config, Pool, Reservation, Scope, Subnet } from "@frontdesk/lease-config/config";
import type { Options } from "@frontdesk/lease-options/option-types";

/** What all levels together give a client. */
export interface Effective {
  readonly options: Options;
  readonly nextServer: number | undefined;
  readonly serverName: string | undefined;
  readonly defaultTime: number;
  readonly minTime: number;
  readonly maxTime: number;
}

/** Where a client stands in the configuration. */
export interface Levels {
  readonly subnet: Subnet;
  readonly pool: Pool | undefined;
  readonly classes: readonly ClassRule[];
  readonly reservation: Reservation | undefined;
}

/** Combinations are few; should they ever be many, they are worked out anew. */
const MAX_REMEMBERED = 4096;
const remembered = new WeakMap<Config, Map<string, Effective>>();

/** Reservation, classes, pool, subnet, shared network, server: the first that says something is heard. */
export function effectiveFor(config: Config, levels: Levels): Effective {
  const { reservation, classes, pool, subnet } = levels;
  if (reservation) return merge(config, levels);
  if (pool && classes.length === 0) return plainFor(config, pool);
  const key = `${subnet.index} ${pool?.index} ${classes.map(({ name }) => name).join("\n")}`;
  let known = remembered.get(config);
  if (!known) {
    known = new Map();
    remembered.set(config, known);
  }
  let effective = known.get(key);
  if (!effective) {
    effective = merge(config, levels);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, effective);
  }
  return effective;
}

/** What most clients get: those of a pool that are in no class. */
const plain = new WeakMap<Pool, Effective>();

function plainFor(config: Config, pool: Pool): Effective {
  let effective = plain.get(pool);
  if (!effective) {
    effective = merge(config, { subnet: pool.subnet, pool, classes: [], reservation: undefined });
    plain.set(pool, effective);
  }
  return effective;
}

function merge(config: Config, { reservation, classes, pool, subnet }: Levels): Effective {
  const scopes: Scope[] = [
    ...(reservation ? [reservation.scope] : []),
    ...classes.map(({ scope }) => scope),
    ...(pool ? [pool.scope] : []),
    subnet.scope,
    subnet.network.scope,
    config.scope,
  ];
  const options: Options = new Map();
  for (const scope of scopes) {
    for (const [code, value] of scope.options) if (!options.has(code)) options.set(code, value);
  }
  const first = <K extends keyof Scope>(key: K) => scopes.find((scope) => scope[key] !== undefined)?.[key];
  return {
    options,
    nextServer: first("nextServer"),
    serverName: first("serverName"),
    ...timesOf(config, scopes),
  };
}

/** Each time from the innermost level that gives it; where they contradict, the inner level is right. */
function timesOf(
  config: Config,
  scopes: readonly Scope[],
): Pick<Effective, "defaultTime" | "minTime" | "maxTime"> {
  const level = (key: "minTime" | "maxTime" | "defaultTime") => {
    const at = scopes.findIndex((scope) => scope[key] !== undefined);
    return { at: at < 0 ? scopes.length : at, time: scopes[at]?.[key] };
  };
  const [min, usual, max] = [level("minTime"), level("defaultTime"), level("maxTime")];
  // A minimum or maximum that nobody wrote down makes room for a time that someone did.
  let minTime =
    min.time ?? Math.min(config.minTime, usual.time ?? config.minTime, max.time ?? config.minTime);
  let maxTime = max.time ?? Math.max(config.maxTime, usual.time ?? 0, min.time ?? 0);
  if (minTime > maxTime) {
    if (min.at < max.at) maxTime = minTime;
    else minTime = maxTime;
  }
  const defaultTime = Math.max(minTime, Math.min(usual.time ?? config.defaultTime, maxTime));
  return { defaultTime, minTime, maxTime };
}
