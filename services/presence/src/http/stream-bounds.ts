import { refuse } from "../domain/codes.ts";

export const MAX_STREAMS = 5_000;
/** Browsers share one among their tabs; a person has a few of them. */
export const MAX_STREAMS_PER_SESSION = 20;
/** Of one account in all its sessions and organisations. */
export const MAX_STREAMS_PER_PERSON = 100;
/** All who came by share links together: the rest is for people who are signed in. */
export const MAX_GUEST_STREAMS = 4_000;
/** Those of one organisation: its links cannot take the streams of all others. */
export const MAX_GUEST_STREAMS_PER_ORG = 1_000;
export const MAX_STREAMS_PER_LINK = 500;
/** Screens in lobbies, behind one address perhaps: nobody keeps all others who have the link out. */
export const MAX_STREAMS_PER_LINK_AND_HOST = 50;

/** How many streams there may be at once of what has this name. */
export interface Bound {
  readonly name: string;
  readonly max: number;
  /**
   * One more ends another one instead of being refused. `oldest`: where all are one person's; of a browser whose network
   * went down, the old stream counts until the kernel gives up sending, a quarter of an hour later. `undrained`: where they
   * may be of many, who would end each other's for ever, only one whose reader takes nothing any more.
   */
  readonly ends?: "oldest" | "undrained";
}

/** When somebody who was refused may try again: pages do so sooner by themselves. */
const RETRY_AFTER_SECONDS = 60;

const ALL: Bound = { name: "all", max: MAX_STREAMS };

export const sessionBounds = (accountId: string, sessionId: string): readonly Bound[] => [
  ALL,
  { name: `session ${sessionId}`, max: MAX_STREAMS_PER_SESSION, ends: "oldest" },
  { name: `person ${accountId}`, max: MAX_STREAMS_PER_PERSON, ends: "oldest" },
];

/** `host`: where the guest comes from. */
export const guestBounds = (orgId: string, linkId: string, host: string): readonly Bound[] => [
  ALL,
  { name: "guests", max: MAX_GUEST_STREAMS },
  { name: `guests of ${orgId}`, max: MAX_GUEST_STREAMS_PER_ORG },
  { name: `link ${linkId}`, max: MAX_STREAMS_PER_LINK },
  { name: `link ${linkId} from ${host}`, max: MAX_STREAMS_PER_LINK_AND_HOST, ends: "undrained" },
];

/** A stream as far as it is counted. */
export interface Counted {
  readonly end: () => void;
  /** Whether its reader takes nothing any more. */
  readonly isUndrained: () => boolean;
}

interface Taken extends Counted {
  readonly release: () => void;
}

/** Counts what is open. */
export function createStreamCounts() {
  const taken = new Map<string, Set<Taken>>();
  const isFull = ({ name, max }: Bound) => (taken.get(name)?.size ?? 0) >= max;
  const toEnd = ({ name, ends }: Bound): Taken | undefined =>
    taken
      .get(name)
      ?.values()
      .find((one) => ends === "oldest" || one.isUndrained());
  return {
    /** Counts one more, or refuses it; what it returns takes it back. */
    take(bounds: readonly Bound[], stream: Counted): () => void {
      // It counts for the wider names too: where those are full, its end makes room there.
      const ended = bounds.filter((bound) => bound.ends && isFull(bound)).map(toEnd)[0];
      if (ended) {
        ended.release();
        ended.end();
      }
      if (bounds.some(isFull)) throw refuse("too_many_streams", undefined, RETRY_AFTER_SECONDS);
      const one: Taken = {
        ...stream,
        release: () => {
          for (const { name } of bounds) {
            const same = taken.get(name);
            same?.delete(one);
            if (same?.size === 0) taken.delete(name);
          }
        },
      };
      for (const { name } of bounds) taken.set(name, (taken.get(name) ?? new Set()).add(one));
      return one.release;
    },
    /** How many different names there are. */
    size: (): number => taken.size,
  };
}
