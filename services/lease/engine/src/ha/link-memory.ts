import { Ring } from "./ring.ts";

/** More than the core ever has on its way without an acknowledgement, unless rows are unusually long. */
const OUT_OCTETS = 16 * 1024 * 1024;
/** Several frames of the largest size. */
const IN_OCTETS = 4 * 1024 * 1024;

/** What the packet thread and the link's thread share; a link's thread that is started anew goes on with it. */
export interface LinkMemory {
  /** From the packet thread to the peer. */
  readonly out: SharedArrayBuffer;
  /** From the peer to the packet thread. */
  readonly in: SharedArrayBuffer;
  readonly ids: SharedArrayBuffer;
}

export const newLinkMemory = (): LinkMemory => ({
  out: Ring.memoryOf(OUT_OCTETS),
  in: Ring.memoryOf(IN_OCTETS),
  ids: new SharedArrayBuffer(8),
});

/** Kinds of records. */
export const RECORD = { up: 1, down: 2, frame: 3 } as const;

/** Where in `ids` the numbers of connections stand. */
export const ID = {
  /** The last one that was made. */
  made: 0,
  /** The last one that the packet thread has given up: it and all before it are to be closed. */
  closed: 1,
} as const;
