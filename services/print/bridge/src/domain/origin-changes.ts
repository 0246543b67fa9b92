import type { Clock } from "@frontdesk/kit/clock";
import { type Actor, type AuditAction, type Author, differences, type NewAuditEntry } from "./audit.ts";
import { PAIRING_LIFE_MS, type Pairings } from "./pairings.ts";
import { ALL_RIGHTS, type OriginRecord, type Registry, type Rights } from "./registry.ts";
import type { Secrets } from "./secrets.ts";

/** What is not said stays as it was; of a new origin it is all printers, all rights, and not open. */
export interface Approval {
  /** Null gives all printers, by their own ids. */
  readonly aliases?: Readonly<Record<string, string>> | null;
  readonly rights?: Rights;
  readonly open?: boolean;
  /** The code of the page that is let in; without one nobody who waits is. */
  readonly code?: string;
}

/** Browsers of one origin that may be let in before the first of them has fetched its token. */
const MAX_ADMITTED = 10;
/** Enough of a token's hash to tell it from the others. */
const TOKEN_NAME_CHARACTERS = 8;

export interface OriginChangesOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "token" | "hash">;
  readonly pairings: Pairings;
  readonly actor: Actor;
}

export type OriginChanges = ReturnType<typeof createOriginChanges>;

/** What one actor may change about who may print. Each change is written with its entry in the audit log. */
export function createOriginChanges({ registry, clock, secrets, pairings, actor }: OriginChangesOptions) {
  const note = (action: AuditAction, subject: string, detail: Readonly<Record<string, unknown>> = {}) =>
    registry.audit.add({ at: clock.now(), actor, action, subject, detail });

  function removeToken(hash: string): boolean {
    registry.tokenUses.remove(hash);
    return registry.tokens.remove(hash);
  }

  function removeTokens(origin: string): number {
    const tokens = registry.tokens.all().filter((token) => token.origin === origin);
    for (const { hash } of tokens) removeToken(hash);
    return tokens.length;
  }

  return {
    /**
     * Lets an origin in, or changes what one may do that is in already. Of its pages that wait, the one with the
     * code is let in, and no other: whoever knows the origin's name can ask in it.
     */
    approve(origin: string, approval: Approval = {}): OriginRecord {
      return registry.together(() => {
        const known = registry.origins.get(origin);
        const before = known?.state === "approved" ? known : undefined;
        const now = clock.now();
        const admitted = (before?.admitted ?? []).filter(({ expiresAt }) => expiresAt > now);
        const { code } = approval;
        if (code) admitted.push({ code, expiresAt: now + PAIRING_LIFE_MS });
        const aliases = approval.aliases === undefined ? before?.aliases : approval.aliases;
        const record: OriginRecord = {
          origin,
          state: "approved",
          ...(aliases ? { aliases: { ...aliases } } : {}),
          rights: approval.rights ?? before?.rights ?? ALL_RIGHTS,
          open: approval.open ?? before?.open ?? false,
          createdAt: before?.createdAt ?? now,
          ...(admitted.length > 0 ? { admitted: admitted.slice(-MAX_ADMITTED) } : {}),
        };
        registry.origins.put(origin, record);
        registry.audit.add(originSaved(before, record, { actor, at: now }, code));
        return record;
      });
    },

    /** Sends a page away that waits, and changes nothing for others of its origin. */
    dismiss(origin: string, code: string): boolean {
      const waiting = pairings.all().find((each) => each.origin === origin && each.code === code);
      if (!waiting) return false;
      note("pairing.dismissed", origin, { code });
      pairings.remove(waiting.claim);
      return true;
    },

    deny(origin: string): void {
      registry.together(() => {
        const tokens = removeTokens(origin);
        registry.origins.put(origin, {
          origin,
          state: "denied",
          rights: { raw: false, templates: false, rfid: false },
          open: false,
          createdAt: clock.now(),
        });
        note("origin.denied", origin, { tokens });
      });
      pairings.removeOrigin(origin);
    },

    /** Takes everything back: the origin is unknown again and all its tokens are invalid. */
    revoke(origin: string): boolean {
      const was = registry.together(() => {
        const tokens = removeTokens(origin);
        const removed = registry.origins.remove(origin);
        if (removed) note("origin.revoked", origin, { tokens });
        return removed;
      });
      pairings.removeOrigin(origin);
      return was;
    },

    issueToken(origin: string, detail: Readonly<Record<string, unknown>> = {}): string {
      const token = secrets.token();
      const hash = secrets.hash(token);
      registry.together(() => {
        registry.tokens.put(hash, { hash, origin, createdAt: clock.now() });
        note("token.issued", origin, { token: tokenName(hash), ...detail });
      });
      return token;
    },

    revokeToken(hash: string): boolean {
      return registry.together(() => {
        const token = registry.tokens.get(hash);
        const removed = removeToken(hash);
        if (removed) note("token.revoked", token?.origin ?? "", { token: tokenName(hash) });
        return removed;
      });
    },
  };
}

/** An origin that was let in, with what it may do; or changed, with what was and what is; or a browser of it that was let in with its code. */
export function originSaved(
  before: OriginRecord | undefined,
  record: OriginRecord,
  by: Author,
  code?: string,
): NewAuditEntry {
  const action = before ? (code ? "pairing.admitted" : "origin.changed") : "origin.approved";
  const given = before ? differences(allowed(before), allowed(record)) : allowed(record);
  return { ...by, action, subject: record.origin, detail: { ...given, ...(code ? { code } : {}) } };
}

const allowed = ({ aliases, rights, open }: OriginRecord) => ({ printers: aliases ?? "all", rights, open });

export const tokenName = (hash: string) => hash.slice(0, TOKEN_NAME_CHARACTERS);
