import type { Actor } from "./actor.ts";
import { refuse } from "./codes.ts";
import { addMember } from "./member.ts";
import type { Org } from "./records.ts";
import type { Desk } from "./unit.ts";
import { FIRST_VOCABULARY } from "./vocabulary.ts";

/** A new organisation has a vocabulary and an administrator, who is its first member. */
export async function createOrg(
  desk: Desk,
  actor: Actor,
  wanted: { id: string; slug: string; name: string; now: number; admin: { email: string; name: string } },
): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(wanted.slug)) {
    throw refuse("invalid", `A slug has lower-case letters, digits and dashes, not "${wanted.slug}".`);
  }
  const org: Org = {
    id: wanted.id,
    slug: wanted.slug,
    name: wanted.name.trim() || wanted.slug,
    sequence: 0,
    purgedThrough: 0,
    vocabulary: FIRST_VOCABULARY,
    createdAt: wanted.now,
  };
  await desk.createOrg(org, actor, (unit) => addMember(unit, { ...wanted.admin, role: "admin" }));
}
