import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { type AddressGuard, refusalOf, type Verdict } from "./address-guard.ts";
import { createNameLookup, type NameLookup } from "./name-lookup.ts";

const CONNECT_LIMIT_MS = 10_000;

/** The address is one that webhooks do not go to. */
export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  readonly lookup?: NameLookup;
}

/**
 * Connects only where the guard allows, by the address that is really connected to: a name is
 * resolved once, what it resolves to is judged, and that is what the socket gets. Plain http is for
 * addresses that the operator has allowed.
 */
export function createGuardedAgent({ guard, lookup = createNameLookup() }: GuardedAgentOptions): Agent {
  const connectors = {
    "https:": guardedConnector(guard, lookup, (verdict) => verdict !== "refused"),
    "http:": guardedConnector(guard, lookup, (verdict) => verdict === "allowed"),
  };
  return new Agent({
    connect: (target, callback) =>
      connectors[target.protocol === "https:" ? "https:" : "http:"](target, callback),
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
  });
}

function guardedConnector(
  guard: AddressGuard,
  lookup: NameLookup,
  fits: (verdict: Verdict) => boolean,
): buildConnector.connector {
  const refuse = (address: string) => new RefusedAddress(refusalOf(guard(address), address));
  const guardedLookup: LookupFunction = (name, wanted, done) => {
    const judge = (found: readonly LookupAddress[]) => {
      const good = found.filter(({ address }) => fits(guard(address)));
      const first = good[0];
      if (!first) return done(refuse(found[0]?.address ?? name), "", 0);
      if (wanted.all) return done(null, good);
      done(null, first.address, first.family);
    };
    lookup(name).then(judge, (error) => done(error, "", 0));
  };
  const connect = buildConnector({ timeout: CONNECT_LIMIT_MS, lookup: guardedLookup });
  return (target, callback) => {
    // A literal address is connected to without asking the look-up.
    const literal = target.hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !fits(guard(literal))) return void callback(refuse(literal), null);
    return connect(target, (...answer: Parameters<buildConnector.Callback>) => {
      const [error, socket] = answer;
      const reached = socket?.remoteAddress;
      if (error || (reached !== undefined && fits(guard(reached)))) return callback(...answer);
      socket?.destroy();
      callback(refuse(reached ?? literal), null);
    });
  };
}
