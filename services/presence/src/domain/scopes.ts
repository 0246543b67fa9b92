import { refuse } from "./codes.ts";

/** What a token may be allowed to do. */
export const SCOPES = [
  "status:read",
  "status:write",
  "members:read",
  "statuses:read",
  "projects:read",
  "todos:read",
  "todos:write",
  "events:read",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Reads `a,b`, or `all` for every scope. */
export function parseScopes(words: readonly string[]): Scope[] {
  if (words.length === 1 && words[0] === "all") return [...SCOPES];
  const unknown = words.find((word) => !(SCOPES as readonly string[]).includes(word));
  if (unknown !== undefined || words.length === 0) {
    throw refuse("invalid", `"${unknown ?? ""}" is not a scope. The scopes are ${SCOPES.join(", ")}.`);
  }
  return [...new Set(words as Scope[])];
}
