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
  if (theirs.restores && theirs.peerStore === mine.store && theirs.epoch >= mine.epoch) return "forget";
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

/** Whether a node never had a peer, or has less on disk than it had when it last spoke to the other. */
const hasLost = (node: Hello, other: Hello): boolean =>
  node.peerStore === null ||
  (other.peerStore !== null && other.peerStore !== node.store) ||
  node.lastSeq < other.appliedSeq ||
  node.appliedSeq < other.ackedSeq ||
  node.epoch < other.agreed;
