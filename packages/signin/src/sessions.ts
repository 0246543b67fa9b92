import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { stringifySetCookie } from "cookie";
import { type CookieScope, cookieAttributes, cookieValues } from "./cookies.ts";
import { latestEnd, longAgo } from "./lifetime.ts";
import { createSealedBox } from "./sealed-box.ts";
import type { SessionKeys } from "./session-keys.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";

export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
/** Of one account: each may hold streams open, and is listed to its owner. */
export const MAX_SESSIONS = 50;
const SEEN_EVERY_MS = 5 * 60_000;
const MAX_USER_AGENT_LENGTH = 256;
/** Each takes a moment to unseal. */
const MAX_COOKIES = 8;

/**
 * A session is a row; the cookie is its sealed name. Both must be good: the seal keeps names from
 * being guessed and ages on its own, the row can be taken away.
 */
export function createSessions(options: { keys: SessionKeys; clock: Clock; cookie: CookieScope }) {
  const { clock, cookie } = options;
  const box = createSealedBox({ keys: options.keys, clock, ttlMs: SESSION_LIFETIME_MS });
  const attributes = cookieAttributes(cookie);

  /** One from before there was a parent domain would be sent beside the new one for ever. */
  function forgetHostOnly(): string[] {
    const hostOnly = cookieAttributes({ ...cookie, domain: undefined });
    return cookie.domain ? [stringifySetCookie({ ...hostOnly, value: "", maxAge: 0 })] : [];
  }

  function isLive({ expires_at }: SessionRow): boolean {
    const now = clock.now();
    return expires_at > now && expires_at <= latestEnd(now, SESSION_LIFETIME_MS);
  }

  return {
    isLive,

    /**
     * Begins a session, and ends the oldest where the account has too many; answers with the values of the `Set-Cookie`
     * headers that hand it out.
     */
    async begin(rows: SessionRows, subject: string, userAgent: string): Promise<readonly string[]> {
      const now = clock.now();
      const id = randomBytes(16).toString("base64url");
      await rows.removeExpired(longAgo(now, SESSION_LIFETIME_MS));
      await rows.removeOldest(subject, MAX_SESSIONS - 1);
      await rows.put({
        id,
        subject,
        created_at: now,
        last_seen_at: now,
        expires_at: now + SESSION_LIFETIME_MS,
        user_agent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      });
      const value = await box.seal({ session: id });
      const handedOut = stringifySetCookie({ ...attributes, value, maxAge: SESSION_LIFETIME_MS / 1000 });
      return [handedOut, ...forgetHostOnly()];
    },

    /** The session that a `Cookie` header stands for. */
    async find(rows: SessionRows, header: string | undefined): Promise<SessionRow | undefined> {
      for (const sealed of cookieValues(header ?? "", cookie.name).slice(0, MAX_COOKIES)) {
        const opened = await box.open(sealed);
        const id = (opened as { session?: unknown } | null | undefined)?.session;
        const row = typeof id === "string" ? await rows.find(id) : undefined;
        if (row && isLive(row)) return row;
      }
      return undefined;
    },

    /** Whether the row's time of last use is old enough to be worth a write. */
    isStale: (session: SessionRow): boolean => clock.now() - session.last_seen_at >= SEEN_EVERY_MS,

    /** The values of the `Set-Cookie` headers that take the cookie away. */
    forget: (): readonly string[] => [
      stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
      ...forgetHostOnly(),
    ],
  };
}

export type Sessions = ReturnType<typeof createSessions>;
