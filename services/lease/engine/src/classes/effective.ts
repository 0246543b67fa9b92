import type { Config, Pool, Scope } from "@frontdesk/lease-config/config";
import type { Exchange } from "../dhcp4/exchange.ts";
import type { Options } from "../dhcp4/option-area.ts";

/** What all levels together give a client. */
export interface Effective {
  readonly options: Options;
  readonly nextServer: number | undefined;
  readonly serverName: string | undefined;
  readonly defaultTime: number;
  readonly minTime: number;
  readonly maxTime: number;
}

/** Combinations are few; should they ever be many, they are worked out anew. */
const MOST_REMEMBERED = 4096;
const remembered = new WeakMap<Config, Map<string, Effective>>();

/** Reservation, classes, pool, subnet, shared network, server: the first that says something is heard. */
export function effectiveFor(x: Exchange, address: number): Effective {
  const pool = address === 0 ? undefined : x.leases.poolOf(address);
  const subnet = x.reservation?.ip === address ? x.reservation.subnet : (pool?.subnet ?? x.subnet);
  if (x.reservation) {
    return merge(x.config, [
      x.reservation.scope,
      ...x.classes.map(({ scope }) => scope),
      pool?.scope,
      subnet?.scope,
      subnet?.network.scope,
    ]);
  }
  if (pool && x.classes.length === 0) return plainFor(x.config, pool);
  const key = `${subnet?.index} ${pool?.index} ${x.classes.map(({ name }) => name).join("\n")}`;
  let known = remembered.get(x.config);
  if (!known) {
    known = new Map();
    remembered.set(x.config, known);
  }
  let effective = known.get(key);
  if (!effective) {
    effective = merge(x.config, [
      ...x.classes.map(({ scope }) => scope),
      pool?.scope,
      subnet?.scope,
      subnet?.network.scope,
    ]);
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(key, effective);
  }
  return effective;
}

/** What most clients get: those of a pool that are in no class. */
const plain = new WeakMap<Pool, Effective>();

function plainFor(config: Config, pool: Pool): Effective {
  let effective = plain.get(pool);
  if (!effective) {
    effective = merge(config, [pool.scope, pool.subnet.scope, pool.subnet.network.scope]);
    plain.set(pool, effective);
  }
  return effective;
}

function merge(config: Config, levels: ReadonlyArray<Scope | undefined>): Effective {
  const scopes = [...levels.filter((scope) => scope !== undefined), config.scope];
  const options: Options = new Map();
  for (const scope of scopes) {
    for (const [code, value] of scope.options) if (!options.has(code)) options.set(code, value);
  }
  const first = <K extends keyof Scope>(key: K) => scopes.find((scope) => scope[key] !== undefined)?.[key];
  const maxTime = first("maxTime") ?? Math.max(config.maxTime, first("defaultTime") ?? 0);
  return {
    options,
    nextServer: first("nextServer"),
    serverName: first("serverName"),
    defaultTime: first("defaultTime") ?? Math.min(config.defaultTime, maxTime),
    minTime: first("minTime") ?? Math.min(config.minTime, maxTime),
    maxTime,
  };
}
