import type { Clock } from "@frontdesk/kit/clock";
import type { Secrets } from "./access.ts";
import { BridgeError } from "./errors.ts";
import { createFailureWindow } from "./failure-window.ts";
import type { Registry } from "./registry.ts";

export const SESSION_LIFE_MS = 12 * 60 * 60_000;
const MOST_SESSIONS = 50;

export interface AdminSessionsOptions {
  readonly registry: Pick<Registry, "sessions">;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "token" | "hash">;
  readonly isAdminToken: (token: string) => boolean;
  readonly failureLimit: number;
}

export type AdminSessions = ReturnType<typeof createAdminSessions>;

/** Browsers in which the administrator is signed in. What they hold is kept here as a hash. */
export function createAdminSessions(options: AdminSessionsOptions) {
  const { registry, clock, secrets } = options;
  const failures = createFailureWindow(clock, options.failureLimit);

  return {
    isAdminToken: options.isAdminToken,

    /** A new session for whoever shows the administrator's token. */
    open(token: string): string {
      failures.assertRoom("console");
      if (!options.isAdminToken(token)) {
        failures.add("console");
        throw new BridgeError("AUTH_INVALID", "This is not the administrator's token.");
      }
      const now = clock.now();
      const live = registry.sessions.all().filter(({ expiresAt }) => expiresAt > now);
      const keep = new Set(
        live
          .sort((a, b) => b.createdAt - a.createdAt)
          .slice(0, MOST_SESSIONS - 1)
          .map(({ hash }) => hash),
      );
      for (const { hash } of registry.sessions.all()) if (!keep.has(hash)) registry.sessions.remove(hash);
      const secret = secrets.token();
      const hash = secrets.hash(secret);
      registry.sessions.put(hash, { hash, createdAt: now, expiresAt: now + SESSION_LIFE_MS });
      return secret;
    },

    has(secret: string): boolean {
      const session = registry.sessions.get(secrets.hash(secret));
      return session !== undefined && session.expiresAt > clock.now();
    },

    end(secret: string): void {
      registry.sessions.remove(secrets.hash(secret));
    },
  };
}
