import type { Clock } from "@frontdesk/kit/clock";
import type { Actor } from "./audit.ts";
import { BridgeError } from "./errors.ts";
import { createFailureLimit } from "./failure-limit.ts";
import type { Registry } from "./registry.ts";
import type { Secrets } from "./secrets.ts";

export const SESSION_LIFE_MS = 12 * 60 * 60_000;
const MAX_SESSIONS = 50;

export interface AdminSessionsOptions {
  readonly registry: Pick<Registry, "sessions" | "audit" | "together">;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "token" | "hash">;
  readonly isAdminToken: (token: string) => boolean;
  /** Sessions that were opened with another token have ended: it may have been replaced because somebody else knew it. */
  readonly adminTokenHash: string;
  readonly failureLimit: number;
}

/**
 * What a browser gets. A cookie goes to every port of a host, so whoever listens on another one may be shown it;
 * the page's key stays in the page's own storage, which is the port's.
 */
export interface OpenedSession {
  readonly secret: string;
  readonly pageKey: string | undefined;
}

export type AdminSessions = ReturnType<typeof createAdminSessions>;

/** Browsers in which the administrator is signed in. What they hold is kept here as a hash. */
export function createAdminSessions(options: AdminSessionsOptions) {
  const { registry, clock, secrets } = options;
  const failures = createFailureLimit(clock, options.failureLimit);
  /** As the audit log names a session: enough of its hash to tell it from the others. */
  const actorOf = (hash: string): Actor => `session:${hash.slice(0, 8)}`;

  return {
    isAdminToken: options.isAdminToken,

    /** A new session for whoever shows the administrator's token. `from` tells whose browser it is. */
    open(token: string, withPageKey: boolean, from: Readonly<Record<string, unknown>> = {}): OpenedSession {
      // The right token passes whatever others have tried: wrong ones must not keep the administrator out.
      if (!options.isAdminToken(token)) {
        failures.count("console");
        throw new BridgeError("AUTH_INVALID", "This is not the administrator's token.");
      }
      const now = clock.now();
      const live = registry.sessions.all().filter(({ expiresAt }) => expiresAt > now);
      const keep = new Set(
        live
          .sort((a, b) => b.createdAt - a.createdAt)
          .slice(0, MAX_SESSIONS - 1)
          .map(({ hash }) => hash),
      );
      const secret = secrets.token();
      const hash = secrets.hash(secret);
      const pageKey = withPageKey ? secrets.token() : undefined;
      registry.together(() => {
        for (const { hash: old } of registry.sessions.all())
          if (!keep.has(old)) registry.sessions.remove(old);
        registry.sessions.put(hash, {
          hash,
          token: options.adminTokenHash,
          ...(pageKey ? { pageKey: secrets.hash(pageKey) } : {}),
          createdAt: now,
          expiresAt: now + SESSION_LIFE_MS,
        });
        registry.audit.add({
          at: now,
          actor: actorOf(hash),
          action: "session.opened",
          subject: null,
          detail: from,
        });
      });
      return { secret, pageKey };
    },

    has(secret: string, pageKey: string | undefined): boolean {
      const session = registry.sessions.get(secrets.hash(secret));
      if (!session || session.expiresAt <= clock.now() || session.token !== options.adminTokenHash)
        return false;
      if (session.pageKey === undefined) return true;
      return pageKey !== undefined && secrets.hash(pageKey) === session.pageKey;
    },

    end(secret: string): void {
      const hash = secrets.hash(secret);
      registry.together(() => {
        if (registry.sessions.remove(hash))
          registry.audit.add({
            at: clock.now(),
            actor: actorOf(hash),
            action: "session.closed",
            subject: null,
          });
      });
    },

    actorOf: (secret: string): Actor => actorOf(secrets.hash(secret)),
  };
}
