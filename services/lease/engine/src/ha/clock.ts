import { movedTimes, timesFromNow } from "./kept-times.ts";
import type { Turn } from "./turn.ts";

/** A measurement is off by half of a round trip at most. */
const ROUNDED_SECONDS = 1;

/**
 * The peer's clock minus this one, as it was measured. Where the peer's is behind, it tells clients until a promise by a
 * time that comes later here, and is waited for so long, also when its clock is set meanwhile or is gone with it: until
 * this node has all (`hasAll`) that the peer had done by its clock as it was.
 */
export function measureClock(turn: Turn, clockDifference: number, hasAll: boolean): void {
  turn.change({ clockDifference });
  const { skew } = turn.core.settings;
  const { behind } = turn.durable;
  const differs = Math.abs(clockDifference) > skew;
  const measured = differs ? Math.ceil(ROUNDED_SECONDS - clockDifference) : 0;
  const hasFallen = hasAll && measured < behind - skew;
  if (measured > behind || hasFallen) turn.keep({ behind: measured });
}

/** This node's clock was set. */
export function setClock(turn: Turn, by: number): void {
  turn.keep(movedTimes(turn.durable, by, turn.now));
  if (by < 0) turn.change(NO_CONTACT);
}

/** The clock was set back: times that it told before are of no use. */
export function goBack(turn: Turn): void {
  const { core, now } = turn;
  const { lead } = core.durable;
  const [lostAt, signAt] = [Math.min(core.lostAt, now), Math.min(core.signAt, now)];
  turn.change({ ...NO_CONTACT, keptAt: now, lostAt, signAt });
  turn.keep(timesFromNow(turn.durable, now, lead.awaited + core.settings.skew));
}

const NO_CONTACT = { contactAt: Number.NEGATIVE_INFINITY, certainContactAt: Number.NEGATIVE_INFINITY };
