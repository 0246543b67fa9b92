import { refuse } from "./codes.ts";
import { isAllowed, type Role } from "./role.ts";
import type { Rows } from "./rows.ts";
import { isSessionOpen, isTokenOpen, type Principal } from "./sign-in.ts";

/** A principal that was let in, and the role that this takes. */
export interface RemoteAuthor extends Pick<Principal, "actor" | "rootUserId" | "tokenId" | "sessionId"> {
  readonly needed: Role;
}

/** Who writes: a principal, or somebody at the command line of this machine, who may do everything. */
export type Author = RemoteAuthor | { readonly actor: string; readonly isLocal: true };

/**
 * What a write was let in by may have ended since: hashing a password takes a while, and so does waiting for others or
 * for the engine. So every write is told who its author is, and asks again where it takes effect: within its transaction,
 * or within the one that tells the audit log of it just before. No write begins after the removal, demotion or factory
 * reset that ended its author's right was acknowledged.
 */
export async function assertStillAllowed(rows: Rows, author: Author, now: number): Promise<void> {
  if ("isLocal" in author) return;
  const { rootUserId, tokenId, sessionId, needed } = author;
  const user = await rows.users.find(rootUserId);
  const token = (await rows.tokens.all()).find(({ id }) => id === tokenId);
  const isTokenOver = tokenId !== undefined && !(token && isTokenOpen(token, now));
  const session = sessionId === undefined ? undefined : await rows.sessions.find(sessionId);
  const isSessionOver = sessionId !== undefined && !(session && isSessionOpen(session, now));
  if (!user || isTokenOver || isSessionOver) refuse("unauthorized");
  else if (!isAllowed(user.role, needed)) refuse("forbidden");
}
