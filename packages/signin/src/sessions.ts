import { randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { parseCookie, stringifySetCookie } from "cookie";
import { createSealedBox } from "./sealed-box.ts";
import type { SessionKeys } from "./session-keys.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";

export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
const SEEN_EVERY_MS = 5 * 60_000;
const LONGEST_USER_AGENT = 256;

export interface CookieScope {
  readonly name: string;
  /** The parent domain whose hosts all get the cookie; without it, only the host that set it. */
  readonly domain: string | undefined;
  /** Only over https. */
  readonly secure: boolean;
}

/**
 * A session is a row; the cookie is its sealed name. Both must be good: the seal keeps names from
 * being guessed and ages on its own, the row can be taken away.
 */
export function createSessions(options: { keys: SessionKeys; clock: Clock; cookie: CookieScope }) {
  const { clock, cookie } = options;
  const box = createSealedBox({ keys: options.keys, clock, ttlMs: SESSION_LIFETIME_MS });
  const attributes = {
    name: cookie.name,
    path: "/",
    httpOnly: true,
    sameSite: "lax" as const,
    secure: cookie.secure,
    ...(cookie.domain ? { domain: cookie.domain } : {}),
  };

  return {
    /** Begins a session; answers with the value of the `Set-Cookie` header that hands it out. */
    async begin(rows: SessionRows, subject: string, userAgent: string): Promise<string> {
      const now = clock.now();
      const id = randomBytes(16).toString("base64url");
      await rows.removeExpired(now);
      await rows.put({
        id,
        subject,
        created_at: now,
        last_seen_at: now,
        expires_at: now + SESSION_LIFETIME_MS,
        user_agent: userAgent.slice(0, LONGEST_USER_AGENT),
      });
      const value = await box.seal({ session: id });
      return stringifySetCookie({ ...attributes, value, maxAge: SESSION_LIFETIME_MS / 1000 });
    },

    /** The session that a `Cookie` header stands for. */
    async find(rows: SessionRows, header: string | undefined): Promise<SessionRow | undefined> {
      const sealed = header && parseCookie(header)[cookie.name];
      const opened = sealed ? await box.open(sealed) : undefined;
      const id = (opened as { session?: unknown } | null | undefined)?.session;
      const row = typeof id === "string" ? await rows.find(id) : undefined;
      return row && row.expires_at > clock.now() ? row : undefined;
    },

    /** Whether the row's time of last use is old enough to be worth a write. */
    isStale: (session: SessionRow): boolean => clock.now() - session.last_seen_at >= SEEN_EVERY_MS,

    /** The value of the `Set-Cookie` header that takes the cookie away. */
    forget: (): string => stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
