import type { Hello, RefusedBecause } from "./messages.ts";

/** Why the two nodes refuse each other: a setting that both must have alike. */
export interface Refusal {
  readonly because: RefusedBecause;
  readonly here: string;
  /** As the peer has it; null: it has not said. */
  readonly there: string | null;
  /** When it last happened. */
  readonly at: number;
}

/** The secondary dials twice a second: a peer that has refused within this time is alive. */
const ALIVE_SECONDS = 10;

/** What an operator has to look at. */
const SETTINGS: Readonly<Record<RefusedBecause, string>> = {
  version: "the version of the link",
  role: "the role",
  mode: "[ha] mode",
  identity: "[server] identity",
  lead: "[ha] max_lead",
  skew: "[ha] max_clock_skew",
};

export const refusalBy = (
  because: RefusedBecause,
  mine: Hello,
  theirs: Hello | null,
  at: number,
): Refusal => ({
  because,
  here: String(mine[because]),
  there: theirs && String(theirs[because]),
  at,
});

/** The refusal that holds now. */
export const refusalNow = ({ refusal }: { readonly refusal: Refusal | null }, now: number): Refusal | null =>
  refusal && Math.abs(now - refusal.at) <= ALIVE_SECONDS ? refusal : null;

export function refusalText({ because, here, there }: Refusal): string {
  const setting = SETTINGS[because];
  if (there === null) return `the peer refuses this node: ${setting} is ${here} here and another at the peer`;
  return `the two nodes refuse each other: ${setting} is ${here} here and ${there} at the peer`;
}

export function refusalAdvice({ because }: Refusal): string {
  if (because === "version") return "Install the same version on both machines.";
  if (because === "role") return "Both nodes have the same role: pair them again with leasectl ha pair.";
  return `Give both engines the same ${SETTINGS[because]} and restart the one that was changed. The peer is alive: do not take over.`;
}
