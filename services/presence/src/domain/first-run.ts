import { DomainError } from "@frontdesk/kit/domain-error";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { CLI } from "./actor.ts";
import { refuse } from "./codes.ts";
import { createOrg } from "./org.ts";
import type { Desk } from "./unit.ts";

/** One-time links that make the first organisation. */
export interface FirstRuns {
  isLive(secret: string): Promise<boolean>;
  /** Uses up a secret; false where it is none. */
  take(secret: string): Promise<boolean>;
  /** It was used for nothing. */
  giveBack(secret: string): Promise<void>;
  /** No link makes anything any more. */
  endAll(): Promise<void>;
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
  { desk, runs, newId, now }: { desk: Desk; runs: FirstRuns; newId: () => string; now: number },
  wanted: FirstRunRequest,
): Promise<string> {
  const email = parseEmailAddress(wanted.email);
  if (!(await runs.take(wanted.secret))) throw refuse("first_run_over");
  const slug = slugOf(wanted.name);
  const org = {
    id: newId(),
    name: wanted.name,
    now,
    admin: { email, name: wanted.yourName ?? "" },
    defaultStatus: wanted.defaultStatus,
    ...(wanted.timeZone === undefined ? {} : { timeZone: wanted.timeZone }),
  };
  try {
    const made = await withFreeSlug(slug, (free) => createOrg(desk, CLI, { ...org, slug: free }));
    await runs.endAll();
    return made;
  } catch (error) {
    // Whoever is refused may try again.
    await runs.giveBack(wanted.secret);
    throw error;
  }
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

/** Pages have addresses of their own beside the organisations' (`console-pages.ts`). */
const RESERVED = new Set(["api", "assets", "docs", "first-run", "healthz", "s", "sign-in"]);

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
  return slug === "" || RESERVED.has(slug) ? `${slug || "my"}-organisation` : slug;
}
