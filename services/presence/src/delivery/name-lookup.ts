import { type LookupAddress, lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { promisify } from "node:util";

const HOSTS = "/etc/hosts";
/** Of one question to one name server; all of it is over before a connection may no longer begin. */
const ANSWER_LIMIT_MS = 2_000;
const TRIES = 2;
/** Whoever has waited longer for the system has given up. */
const MAX_WAIT_MS = 10_000;
/** The name servers know nothing of it, or there are none. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

export type NameLookup = (name: string) => Promise<LookupAddress[]>;

export interface NameLookupParts {
  /** Name servers; those of the system unless told. */
  readonly servers?: readonly string[];
  readonly system?: NameLookup;
  readonly hosts?: string;
  readonly now?: () => number;
}

/**
 * Resolves names so that one whose name servers are silent holds nobody up. The system's own look-up takes one of few
 * threads for as long as it lasts, and two of those are enough to stop all others (libuv); questions to name servers take
 * none. The system is asked only for what they do not know (search domains, mDNS and the like), one name at a time.
 */
export function createNameLookup(parts: NameLookupParts = {}): NameLookup {
  const { servers, system = bySystem, hosts = HOSTS, now = () => performance.now() } = parts;
  let last: Promise<unknown> = Promise.resolve();

  const oneAtATime: NameLookup = (name) => {
    const askedAt = now();
    const mine = last.then(() => {
      if (now() - askedAt > MAX_WAIT_MS) throw new Error(`looking up ${name} took too long`);
      return system(name);
    });
    last = mine.catch(() => {});
    return mine;
  };

  return async (name) => {
    const listed = inHosts(await readFile(hosts, "utf8").catch(() => ""), name);
    if (listed.length > 0) return listed;
    // A name of one word is completed by the system.
    if (!name.includes(".")) return oneAtATime(name);
    // A new one for each name: it reads anew which name servers the system has.
    const resolver = new Resolver({ timeout: ANSWER_LIMIT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
    if (found.length > 0) return found;
    const failures = [ipv4, ipv6].flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    const serious = failures.find(({ code }) => !UNKNOWN.has(code));
    if (serious) throw serious;
    return oneAtATime(name);
  };
}

const bySystem: NameLookup = (name) => promisify(lookup)(name, { all: true });

const addressesOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];

/** hosts(5): an address, and the names that it goes by. */
function inHosts(text: string, name: string): LookupAddress[] {
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    const family = isIP(address);
    const isHere = names.some((each) => each.toLowerCase() === name.toLowerCase());
    return family !== 0 && isHere ? [{ address, family }] : [];
  });
}
