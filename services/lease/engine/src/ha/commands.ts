import { type Core, isPeerThere } from "./core-state.ts";
import { closeLink, takeBack, takeOverNow } from "./meeting.ts";
import { refusalNow, refusalText } from "./refusal.ts";
import { isFresh } from "./rights.ts";
import type { Turn } from "./turn.ts";

export type Command =
  | { readonly name: "partner-down"; readonly stoppedAt?: number; readonly force?: boolean }
  | { readonly name: "maintenance" }
  | { readonly name: "resume"; readonly alone?: boolean };

/** Does what the operator says; or answers why not. */
export function obey(turn: Turn, command: Command): string | undefined {
  if (command.name === "partner-down") return partnerDown(turn, command);
  if (command.name === "resume") return resume(turn, command.alone ?? false);
  if (turn.core.state !== "normal") return "the pair is not in normal operation";
  if (turn.link?.peerBeat?.state === "maintenance") return "the peer is in maintenance";
  if (turn.durable.lost) return waitingText(turn.durable.lost.until);
  turn.enter("maintenance");
  return undefined;
}

/** Whoever is handed everything waits for nothing, and does not know what it told before it lost its memory. */
const waitingText = (until: number) =>
  `the peer lost its memory, and what it had told clients is waited for here until ${new Date(until * 1000).toISOString()}: stop this engine and run partner-down on the peer instead`;

type PartnerDown = Extract<Command, { name: "partner-down" }>;

function partnerDown(turn: Turn, { stoppedAt, force }: PartnerDown): string | undefined {
  const { core, durable, now } = turn;
  const at = stoppedAt ?? now;
  if (isPeerThere(core)) return PEER_IS_THERE;
  if (!TAKING_OVER.has(core.state)) return `the node is in ${core.state}`;
  if (at > now || at < core.contactAt) return "the peer was there after that time";
  const refusal = signOfLife(core, stoppedAt, now) ?? refusalToTakeOver(core);
  if (refusal !== undefined && !force) return refusal;
  takeBack(turn);
  // A hello of before it must not be what the peer answers.
  closeLink(turn);
  takeOverNow(turn, durable.epoch + 1, { at, clean: false });
  return undefined;
}

const TAKING_OVER: ReadonlySet<string> = new Set(["interrupted", "startup", "recover"]);
const PEER_IS_THERE = "the peer is there";

function resume(turn: Turn, alone: boolean): string | undefined {
  const { core, now } = turn;
  const isInMaintenance = core.state === "maintenance";
  if (!alone && !isInMaintenance) return "the node is not in maintenance";
  const refusal = alone ? refusalToServeAlone(core, now) : undefined;
  if (refusal !== undefined) return refusal;
  if (isInMaintenance) {
    turn.enter("startup");
    turn.change({ resumedAt: now });
  }
  turn.change({ trustsItself: alone });
  closeLink(turn);
  return undefined;
}

/** Why `resume --alone` would change nothing, or would have both nodes give the same addresses. */
function refusalToServeAlone(core: Core, now: number): string | undefined {
  const { state } = core;
  if (state === "partner_down") return "the node has taken over and serves everyone already";
  if (isPeerThere(core)) return PEER_IS_THERE;
  const refusal = refusalToTakeOver(core);
  if (refusal !== undefined) return refusal;
  return state !== "maintenance" && isFresh(core, now) ? "the node serves alone already" : undefined;
}

const NOT_WHOLE =
  "the peer has taken over, and leases that it gave since are not known here: partner-down --force serves without them";

function signOfLife(core: Core, stoppedAt: number | undefined, now: number): string | undefined {
  const refusal = refusalNow(core, now);
  if (refusal) return `the peer is alive: ${refusalText(refusal)}`;
  // Without a time, the peer is said to have stopped: a client that spoke to it lately, and without a link, says not.
  const quietSince = stoppedAt ?? Math.max(core.lostAt, now - core.durable.lead.awaited);
  if (core.signAt <= quietSince) return undefined;
  return `a client spoke to the peer ${stoppedAt === undefined ? "since the link was lost" : "after that time"}`;
}

/** Why a node that is alone may not be what the pair goes on with. */
export function refusalToTakeOver({ durable, state }: Core): string | undefined {
  if (state === "recover") return NOT_WHOLE;
  if (durable.peerStore === null) return "the node has never met its peer";
  return durable.handedOver ? "the peer was handed everything" : undefined;
}
