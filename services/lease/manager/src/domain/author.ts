import { refuse } from "./codes.ts";
import { isAllowed, type Role } from "./role.ts";
import type { Rows } from "./rows.ts";
import type { Principal } from "./sign-in.ts";

/** Who writes: a principal, or somebody at the command line of this machine, who may do everything. */
export type Author =
  | Pick<Principal, "actor" | "rootUserId" | "tokenId" | "sessionId">
  | { readonly actor: string; readonly isLocal: true };

/**
 * What a write was let in by may have ended since: hashing a password takes a while. Asked within the transaction of the
 * write, so that no acknowledged removal, demotion or factory reset is undone.
 */
export async function assertStillAllowed(rows: Rows, author: Author, needed: Role): Promise<void> {
  if ("isLocal" in author) return;
  const { rootUserId, tokenId, sessionId } = author;
  const user = await rows.users.find(rootUserId);
  const isTokenOver = tokenId !== undefined && !(await rows.tokens.all()).some(({ id }) => id === tokenId);
  const isSessionOver = sessionId !== undefined && !(await rows.sessions.find(sessionId));
  if (!user || isTokenOver || isSessionOver) refuse("unauthorized");
  else if (!isAllowed(user.role, needed)) refuse("forbidden");
}
