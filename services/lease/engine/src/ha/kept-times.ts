import { type Ownership, waitingAtMost, waitingLonger } from "./ownership.ts";

/** This node gives what was the peer's, and the peer has not come back. */
export interface Takeover {
  /** The peer had stopped by then. */
  readonly at: number;
  /** The peer had stopped answering and everything it did is known here: there is nothing to wait for. */
  readonly clean: boolean;
}

/** The peer's memory is gone, and what it may have told clients is waited for. */
export interface Lost {
  readonly at: number;
  readonly until: number;
  readonly behind: number;
}

/** Times on disk for which this node waits, by its own clock. */
export interface KeptTimes {
  readonly ownership: Ownership;
  readonly takeover: Takeover | null;
  /**
   * The peer lost its memory `at` a time: what it may have told clients before is waited for `until` another. Its clock
   * was `behind` this one then, or ahead of it, as this one is now.
   */
  readonly lost: Lost | null;
  /** By how many seconds the peer's clock may be behind this one, below 0 for ahead of it; 0 within the skew. */
  readonly behind: number;
}

/** This node's clock was set: the moments that are kept by it are told by the new one. */
export const movedTimes = (
  { takeover, lost, ownership, behind }: KeptTimes,
  by: number,
  now: number,
): KeptTimes => ({
  takeover: takeover && { ...takeover, at: Math.min(now, takeover.at + by) },
  lost: lost && movedBy(lost, by),
  ownership: waitingLonger(ownership, by),
  // As far as it is set ahead, the peer's is behind it, until that is measured.
  behind: behind + (by > 0 ? by + 1 : 0),
});

/** Times that are still to come were told by a clock that has been set back since: they count from now. */
export const timesFromNow = (
  { takeover, lost, ownership, behind }: KeptTimes,
  now: number,
  wait: number,
): KeptTimes => ({
  takeover: takeover && takeover.at > now ? { ...takeover, at: now } : takeover,
  lost: lost && lost.at > now ? movedBy(lost, now - lost.at) : lost,
  ownership: waitingAtMost(ownership, now + wait),
  behind,
});

/** The peer has lost its memory again: what it may have told before either time is waited for. */
export const laterOf = (lost: Lost, before: Lost | null): Lost => ({
  at: Math.max(lost.at, before?.at ?? lost.at),
  until: Math.max(lost.until, before?.until ?? lost.until),
  behind: Math.max(lost.behind, before?.behind ?? lost.behind),
});

/** What was forgotten was told by clocks that are as they were, whatever becomes of this one. */
const movedBy = ({ at, until, behind }: Lost, by: number): Lost => ({
  at: at + by,
  until: until + by,
  behind: behind + by,
});
