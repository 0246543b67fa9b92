import { refuse as refuseSignIn } from "@frontdesk/signin/refusals";
import type { Kysely } from "kysely";
import { isLive } from "../domain/access.ts";
import type { Actor } from "../domain/actor.ts";
import { refuse } from "../domain/codes.ts";
import { ROLES, type Role } from "../domain/records.ts";
import type { memory } from "./memory.ts";
import { signinRows } from "./signin-store.ts";
import type { Tables } from "./tables.ts";

/** A token that was judged this recently is not read once more by the change, unless this copy of the service revoked it. */
const FRESH_MS = 1_000;

/** Tokens that this copy of the service has revoked, or tried to. */
export type RevokedHere = ReturnType<typeof memory<true>>;

/**
 * Whether an actor may still change an organisation, asked inside the change and with the organisation locked: the gate
 * has judged before the body came, and that may be long ago.
 */
export async function demandAdmission(
  tx: Kysely<Tables>,
  orgId: string,
  actor: Actor,
  now: number,
  revokedHere: RevokedHere,
): Promise<void> {
  if (actor.kind === "member" && actor.demands) {
    const { role, sessionId } = actor.demands;
    const session = await signinRows(tx).sessions.find(sessionId);
    if (!session || session.expires_at <= now) throw refuseSignIn("no_session");
    const member = await tx
      .selectFrom("members")
      .select("role")
      .where("org_id", "=", orgId)
      .where("id", "=", actor.memberId)
      .executeTakeFirst();
    if (!member)
      throw refuse("org_not_found", "There is no such organisation, or you are not a member of it.");
    if (ROLES.indexOf(member.role as Role) < ROLES.indexOf(role)) throw refuse("forbidden");
  }
  if (actor.kind === "integration" && actor.admittedAt !== undefined) {
    // A clock that was set back tells nothing about how long ago that is.
    const isFresh = now >= actor.admittedAt && now - actor.admittedAt < FRESH_MS;
    if (isFresh && !revokedHere.get(actor.tokenId)) return;
    const token = await tx
      .selectFrom("tokens")
      .select(["revoked_at", "expires_at"])
      .where("id", "=", actor.tokenId)
      .executeTakeFirst();
    const isGood = token && isLive({ revokedAt: token.revoked_at, expiresAt: token.expires_at }, now);
    if (!isGood) throw refuse("unauthorized");
  }
}
