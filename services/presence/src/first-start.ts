import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { issueToken } from "./domain/access.ts";
import { CLI } from "./domain/actor.ts";
import { createOrg } from "./domain/org.ts";
import { SCOPES } from "./domain/scopes.ts";
import { ulids } from "./domain/ulid.ts";
import { FIRST_MEMBER, FIRST_ORG } from "./first-org.ts";
import type { Presence } from "./presence.ts";

/** Long enough to try things out; whoever stays issues tokens that can do less. */
const FIRST_TOKEN_MS = 30 * 24 * 60 * 60_000;

/**
 * An empty database gets an organisation, a member and a token, so that the first request works at
 * once. The token is printed this once and kept in a file that only the owner may read.
 */
export async function prepareFirstStart(
  presence: Presence,
  clock: Clock,
  home: string,
): Promise<{ file: string; token: string } | undefined> {
  if (await presence.reader.anyOrg()) return undefined;
  const id = ulids(clock).next();
  try {
    await createOrg(presence.desk, CLI, {
      id,
      slug: FIRST_ORG,
      name: "Home",
      now: clock.now(),
      admin: { email: FIRST_MEMBER, name: "You" },
    });
  } catch (error) {
    // Another copy was faster.
    if (error instanceof DomainError && error.code === "org_exists") return undefined;
    throw error;
  }
  const { token } = await presence.desk.change(id, CLI, (unit) =>
    issueToken(unit, {
      integration: "first",
      name: "first start",
      scopes: SCOPES,
      expiresAt: clock.now() + FIRST_TOKEN_MS,
    }),
  );
  const file = firstTokenFile(home);
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return { file, token };
}

export const firstTokenFile = (home: string): string => join(home, "first-token");

export const hasFirstToken = (home: string): boolean => existsSync(firstTokenFile(home));
