import type { Clock } from "@frontdesk/kit/clock";
import type { Secrets } from "./secrets.ts";

/** A browser that asked to be let in. Its claim is a secret of the page, kept as a hash. */
export interface Pairing {
  readonly claim: string;
  readonly origin: string;
  readonly code: string;
  readonly appName: string;
  /** Whether its origin was allowed already when it asked. */
  readonly isKnown: boolean;
  readonly expiresAt: number;
}

interface Place {
  readonly pairing: Pairing;
  readonly askedAt: number;
  heardAt: number;
}

/** What a page is told so that a person can let it in. */
export interface PairingOffer {
  readonly claim: string;
  readonly code: string;
  readonly expiresAt: string;
}

export const PAIRING_LIFE_MS = 15 * 60_000;
/** Of origins that were not allowed, which anybody can name; an allowed one's new browsers are counted by themselves. */
const MAX_PAIRINGS = 100;
/** Of one site, whatever it calls its hosts: a page can have as many subdomains as it likes. */
const MAX_PAIRINGS_PER_SITE = 10;
/** Browsers of one origin that may ask at the same time. */
const MAX_PAIRINGS_PER_ORIGIN = 5;
/** A page that waits asks every two seconds. One that has not been heard for so long makes room for another. */
const SILENT_AFTER_MS = 10_000;
/**
 * One that still asks keeps its place for so long, which is time to compare its code; then the longest waiting one
 * makes room for a new page. Any local program can ask in a page's name: five that never end must not keep its new
 * browsers out for good, and as many as it likes must not take a code away that a person is looking at.
 */
const TURN_MS = 3 * 60_000;
/** For so long it is told that a page found no place. */
const CROWDED_MS = 60_000;
const MAX_CROWDED = 20;
const CROWDED_TOLD_MS = 5_000;
const KINDS_OF_OWNERS = new Set("ac co com edu go gob gov gouv ltd mil ne net nom or org plc sch".split(" "));

/** An origin of which a page was turned away, because as many as may wait do. */
export interface Crowded {
  readonly origin: string;
  readonly at: number;
}

export type Pairings = ReturnType<typeof createPairings>;

/**
 * Pages that asked and were not decided about yet. They are kept in memory alone: a page that nobody approved
 * causes no write to the disk. After a restart the page asks again.
 */
export function createPairings({
  clock,
  secrets,
  isAdmitted,
}: {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "token" | "code" | "hash">;
  /** Whether the administrator has let a page in that has not fetched its token yet. */
  readonly isAdmitted: (pairing: Pairing) => boolean;
}) {
  const pairings = new Map<string, Place>();
  /** Origins of which a page was turned away, and when the last one was. */
  const crowded = new Map<string, number>();
  let toldAt = Number.NEGATIVE_INFINITY;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function places(): Place[] {
    const now = clock.now();
    for (const { pairing } of pairings.values()) if (pairing.expiresAt <= now) pairings.delete(pairing.claim);
    return [...pairings.values()];
  }

  const live = () => places().map(({ pairing }) => pairing);

  /** Which of those that wait makes room for a new one; undefined while each has a right to its place. */
  function nextToLeave(waiting: readonly Place[]): Place | undefined {
    const now = clock.now();
    // What lies ahead was before the clock was set back.
    const since = (time: number) => Math.abs(now - time);
    const quietest = longest(waiting, ({ heardAt }) => since(heardAt));
    if (quietest && since(quietest.heardAt) >= SILENT_AFTER_MS) return quietest;
    const oldest = longest(
      waiting.filter(({ pairing }) => !isAdmitted(pairing)),
      ({ askedAt }) => since(askedAt),
    );
    return oldest && since(oldest.askedAt) >= TURN_MS ? oldest : undefined;
  }

  /** Who makes room for one more page of an origin; undefined where it finds none. */
  function makeRoom(origin: string, isKnown: boolean): readonly Place[] | undefined {
    const waiting = places();
    const unknown = waiting.filter(({ pairing }) => !pairing.isKnown);
    const groups: Array<[members: readonly Place[], max: number]> = [
      [waiting.filter(({ pairing }) => pairing.origin === origin), MAX_PAIRINGS_PER_ORIGIN],
    ];
    if (!isKnown) {
      const ofSite = unknown.filter(({ pairing }) => siteOf(pairing.origin) === siteOf(origin));
      groups.push([ofSite, MAX_PAIRINGS_PER_SITE], [unknown, MAX_PAIRINGS]);
    }
    const leaving: Place[] = [];
    for (const [members, max] of groups) {
      const staying = members.filter((place) => !leaving.includes(place));
      if (staying.length < max) continue;
      const next = nextToLeave(staying);
      if (!next) return undefined;
      leaving.push(next);
    }
    return leaving;
  }

  /** Not told at each request: a page that nobody approved must not keep consoles busy. */
  function turnAway(origin: string): void {
    const now = clock.now();
    crowded.delete(origin);
    crowded.set(origin, now);
    for (const oldest of crowded.keys()) if (crowded.size > MAX_CROWDED) crowded.delete(oldest);
    if (Math.abs(now - toldAt) < CROWDED_TOLD_MS) return;
    toldAt = now;
    changed();
  }

  function find(claim: string, origin: string): Pairing | undefined {
    const hash = secrets.hash(claim);
    return live().find((pairing) => pairing.claim === hash && pairing.origin === origin);
  }

  return {
    all: live,
    find,
    turnAway,

    /** The offer for a browser: the one it holds the claim of, or a new one. */
    offer(
      { origin, appName, isKnown }: Pick<Pairing, "origin" | "appName" | "isKnown">,
      claim: string | undefined,
    ): PairingOffer | undefined {
      const known = claim ? find(claim, origin) : undefined;
      const place = known && pairings.get(known.claim);
      if (place && claim) {
        place.heardAt = clock.now();
        return offerOf(place.pairing, claim);
      }
      const leaving = makeRoom(origin, isKnown);
      if (!leaving) {
        turnAway(origin);
        return undefined;
      }
      for (const { pairing } of leaving) pairings.delete(pairing.claim);
      const secret = secrets.token();
      const pairing: Pairing = {
        claim: secrets.hash(secret),
        origin,
        code: secrets.code(),
        appName,
        isKnown,
        expiresAt: clock.now() + PAIRING_LIFE_MS,
      };
      const now = clock.now();
      pairings.set(pairing.claim, { pairing, askedAt: now, heardAt: now });
      changed();
      return offerOf(pairing, secret);
    },

    /** Origins of which pages found no place a short while ago. */
    crowded(): Crowded[] {
      const now = clock.now();
      for (const [origin, at] of crowded) if (Math.abs(now - at) >= CROWDED_MS) crowded.delete(origin);
      return Array.from(crowded, ([origin, at]) => ({ origin, at }));
    },

    remove(claim: string): void {
      if (pairings.delete(claim)) changed();
    },

    removeOrigin(origin: string): void {
      for (const pairing of live()) if (pairing.origin === origin) pairings.delete(pairing.claim);
      crowded.delete(origin);
      changed();
    },

    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function longest(places: readonly Place[], length: (place: Place) => number): Place | undefined {
  return [...places].sort((one, other) => length(other) - length(one))[0];
}

/**
 * The end of a host's name that its owner pays for: two parts, or three below a country's own kinds of owners
 * (`shop.co.uk`, `shop.com.au`).
 */
export function siteOf(origin: string): string {
  const parts = (URL.parse(origin)?.hostname ?? origin).split(".");
  const [kind = "", country = ""] = parts.slice(-2);
  return parts.slice(country.length === 2 && KINDS_OF_OWNERS.has(kind) ? -3 : -2).join(".");
}

const offerOf = ({ code, expiresAt }: Pairing, claim: string): PairingOffer => ({
  claim,
  code,
  expiresAt: new Date(expiresAt).toISOString(),
});
