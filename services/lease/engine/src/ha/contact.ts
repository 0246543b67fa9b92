import type { Hello, RefusedBecause } from "./messages.ts";

/** What two nodes that meet are to each other. */
export type Verdict =
  /** Neither has taken over: both send what the other has not got. */
  | "resync"
  /** The peer has taken over: this node goes along with it. */
  | "follow"
  /** This node has taken over, and the peer has gone along with it. */
  | "hold"
  /** Both have taken over, and it is for this node, the primary, to settle it. */
  | "resolve"
  /** The peer has lost its memory: this node takes over and sends it everything. */
  | "restore"
  /** This node has lost its memory, and the peer has taken over. */
  | "forget"
  /** It is for the peer to do something. */
  | "wait";

/** Why two nodes are no pair, if they are not. */
export function refusalOf(mine: Hello, theirs: Hello): RefusedBecause | undefined {
  if (mine.version !== theirs.version) return "version";
  if (mine.role === theirs.role) return "role";
  for (const field of ["mode", "identity", "lead", "skew"] as const) {
    if (mine[field] !== theirs[field]) return field;
  }
  return undefined;
}

/** Epochs decide. Each node acts upon what the other has on disk, and says hello again when its own epoch has changed. */
export function judge(mine: Hello, theirs: Hello): Verdict {
  const restoresMe = theirs.restores && theirs.peerStore === mine.store && theirs.epoch >= mine.epoch;
  if (restoresMe && !hasAllOf(mine, theirs)) return "forget";
  const isPrimary = mine.role === "primary";
  const theyLost = hasLost(theirs, mine);
  const iLost = hasLost(mine, theirs);
  if (theyLost && (!iLost || isPrimary)) return "restore";
  if (iLost) return "wait";
  const [tookMine, tookTheirs] = [hasTakenOver(mine), hasTakenOver(theirs)];
  if (tookMine && tookTheirs) {
    if (isPrimary) return "resolve";
    return theirs.epoch > mine.epoch ? "follow" : "wait";
  }
  if (tookTheirs) return "follow";
  if (tookMine) return theirs.epoch === mine.epoch ? "hold" : "wait";
  return "resync";
}

const hasTakenOver = ({ epoch, agreed }: Hello) => epoch !== agreed;

/** Whether a node has received everything from the other, which has taken over for that, and both went on. */
const hasAllOf = ({ state, epoch, agreed, peerStore }: Hello, other: Hello): boolean =>
  state !== "recover" && epoch === agreed && epoch === other.epoch && peerStore === other.store;

/**
 * Whether a node's disk is from before an epoch that the other agreed upon, and has everything of. Either may have got
 * another disk since: they need not have known each other by those that they have.
 */
const isFromBefore = (node: Hello, { state, agreed }: Hello): boolean =>
  state !== "recover" && node.epoch < agreed;

/**
 * Whether a node has less on disk than it had when the other last spoke to it, which speaks of this disk. What it has
 * received is counted by the numbers of the disk that it was received from.
 */
const isBehind = (node: Hello, other: Hello): boolean =>
  node.lastSeq < other.appliedSeq || (node.peerStore === other.store && node.appliedSeq < other.ackedSeq);

/** Whether a node never had a peer, or has less on disk than it had when it last spoke to the other. */
const hasLost = (node: Hello, other: Hello): boolean =>
  node.peerStore === null ||
  // Its disk is from when it sent everything to the other.
  (node.restores && hasAllOf(other, node)) ||
  (other.peerStore === node.store
    ? isBehind(node, other)
    : other.peerStore !== null && !isFromBefore(other, node)) ||
  node.epoch < other.agreed;
