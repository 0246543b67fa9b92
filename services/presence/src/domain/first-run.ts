import { DomainError } from "@frontdesk/kit/domain-error";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { CLI } from "./actor.ts";
import { createOrg, orgName, RESERVED_SLUGS } from "./org.ts";
import type { Desk } from "./unit.ts";

/** One-time links that make the first organisation. */
export interface FirstRuns {
  isLive(secret: string): Promise<boolean>;
  /** Whether there is no organisation that somebody uses. */
  isUnused(): Promise<boolean>;
}

export interface FirstRunRequest {
  readonly secret: string;
  readonly name: string;
  readonly email: string;
  readonly yourName?: string;
  readonly defaultStatus: string;
  readonly timeZone?: string;
}

/** The organisation that a one-time link makes, with its first administrator; answers with its slug. */
export async function firstRun(
  { desk, newId, now }: { desk: Desk; newId: () => string; now: number },
  wanted: FirstRunRequest,
): Promise<string> {
  const email = parseEmailAddress(wanted.email);
  const org = {
    id: newId(),
    name: orgName(wanted.name),
    now,
    admin: { email, name: wanted.yourName ?? "" },
    defaultStatus: wanted.defaultStatus,
    ...(wanted.timeZone === undefined ? {} : { timeZone: wanted.timeZone }),
  };
  return withFreeSlug(slugOf(wanted.name), (slug) => createOrg(desk, CLI, { ...org, slug }, wanted.secret));
}

const MAX_TRIES = 20;

async function withFreeSlug(slug: string, make: (slug: string) => Promise<void>): Promise<string> {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? slug : `${slug}-${number}`;
    try {
      await make(tried);
      return tried;
    } catch (error) {
      const taken = error instanceof DomainError && error.code === "org_exists";
      if (!taken || number >= MAX_TRIES) throw error;
    }
  }
}

/** `Müller & Co.` becomes `muller-co`. */
export function slugOf(name: string): string {
  const words = name
    .slice(0, 200)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const slug = words.join("-").slice(0, 50).replace(/-$/, "");
  return slug === "" || RESERVED_SLUGS.has(slug) ? `${slug || "my"}-organisation` : slug;
}
