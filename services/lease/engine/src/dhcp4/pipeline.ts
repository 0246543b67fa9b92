import { classify } from "./classify.ts";
import type { Exchange, Step, Verdict } from "./exchange.ts";
import { fillOptions } from "./fill-options.ts";
import { findReservation } from "./find-reservation.ts";
import { grant } from "./grant.ts";
import { handleDecline } from "./handle-decline.ts";
import { handleDiscover } from "./handle-discover.ts";
import { handleInform } from "./handle-inform.ts";
import { handleRelease } from "./handle-release.ts";
import { handleRequest } from "./handle-request.ts";
import { identify } from "./identify.ts";
import { selectNetwork } from "./select-network.ts";

/** The way of every packet, and of every explanation. */
export const steps: readonly Step[] = [
  identify,
  classify,
  selectNetwork,
  findReservation,
  handleRelease,
  handleDecline,
  handleInform,
  handleRequest,
  handleDiscover,
  grant,
  fillOptions,
];

export function runSteps(x: Exchange): Verdict {
  for (const step of steps) {
    const verdict = step(x);
    if (verdict !== "continue") return verdict;
  }
  return "drop";
}
