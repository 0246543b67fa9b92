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

export type Pairings = ReturnType<typeof createPairings>;

/**
 * Pages that asked and were not decided about yet. They are kept in memory alone: a page that nobody approved
 * causes no write to the disk. After a restart the page asks again.
 */
export function createPairings({
  clock,
  secrets,
}: {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "token" | "code" | "hash">;
}) {
  const pairings = new Map<string, Pairing>();
  /** When the page of each claim was last heard. */
  const heardAt = new Map<string, number>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };

  function live(): Pairing[] {
    const now = clock.now();
    for (const { claim, expiresAt } of pairings.values()) if (expiresAt <= now) drop(claim);
    return [...pairings.values()];
  }

  function drop(claim: string): boolean {
    heardAt.delete(claim);
    return pairings.delete(claim);
  }

  /** Whether one more of an origin may wait. Nobody who knows its name can push out a page that still asks. */
  function makeRoom(ofOrigin: readonly Pairing[]): boolean {
    if (ofOrigin.length < MAX_PAIRINGS_PER_ORIGIN) return true;
    const now = clock.now();
    // What lies ahead was heard before the clock was set back.
    const silence = ({ claim }: Pairing) => Math.abs(now - (heardAt.get(claim) ?? 0));
    const [quietest] = [...ofOrigin].sort((one, other) => silence(other) - silence(one));
    if (!quietest || silence(quietest) < SILENT_AFTER_MS) return false;
    return drop(quietest.claim);
  }

  function find(claim: string, origin: string): Pairing | undefined {
    const hash = secrets.hash(claim);
    return live().find((pairing) => pairing.claim === hash && pairing.origin === origin);
  }

  return {
    all: live,
    find,

    /** The offer for a browser: the one it holds the claim of, or a new one. */
    offer(
      { origin, appName, isKnown }: Pick<Pairing, "origin" | "appName" | "isKnown">,
      claim: string | undefined,
    ): PairingOffer | undefined {
      const known = claim ? find(claim, origin) : undefined;
      if (known && claim) {
        heardAt.set(known.claim, clock.now());
        return offerOf(known, claim);
      }
      const waiting = live();
      const ofOrigin = waiting.filter((pairing) => pairing.origin === origin);
      const takesPlace = ofOrigin.length >= MAX_PAIRINGS_PER_ORIGIN;
      if (!takesPlace && !isKnown && !hasRoom(waiting, origin)) return undefined;
      if (!makeRoom(ofOrigin)) return undefined;
      const secret = secrets.token();
      const pairing: Pairing = {
        claim: secrets.hash(secret),
        origin,
        code: secrets.code(),
        appName,
        isKnown,
        expiresAt: clock.now() + PAIRING_LIFE_MS,
      };
      pairings.set(pairing.claim, pairing);
      heardAt.set(pairing.claim, clock.now());
      changed();
      return offerOf(pairing, secret);
    },

    remove(claim: string): void {
      if (drop(claim)) changed();
    },

    removeOrigin(origin: string): void {
      for (const pairing of live()) if (pairing.origin === origin) drop(pairing.claim);
      changed();
    },

    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function hasRoom(waiting: readonly Pairing[], origin: string): boolean {
  const unknown = waiting.filter(({ isKnown }) => !isKnown);
  const ofSite = unknown.filter((pairing) => siteOf(pairing.origin) === siteOf(origin));
  return unknown.length < MAX_PAIRINGS && ofSite.length < MAX_PAIRINGS_PER_SITE;
}

/** The last two parts of a host's name: nearly always the ones that its owner pays for. */
const siteOf = (origin: string) => (URL.parse(origin)?.hostname ?? origin).split(".").slice(-2).join(".");

const offerOf = ({ code, expiresAt }: Pairing, claim: string): PairingOffer => ({
  claim,
  code,
  expiresAt: new Date(expiresAt).toISOString(),
});
