import type { Clock } from "@frontdesk/kit/clock";
import { BridgeError } from "./errors.ts";
import { createFailureLimit } from "./failure-limit.ts";
import { createPairings, PAIRING_LIFE_MS, type Pairing, type PairingOffer } from "./pairings.ts";
import type { PrinterRecord } from "./printer.ts";
import { ALL_RIGHTS, type OriginRecord, type Registry, type Rights } from "./registry.ts";
import type { Secrets } from "./secrets.ts";

export interface AccessOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Refused tokens of one origin within a minute before it has to wait. */
  readonly authFailureLimit: number;
}

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

/** How exactly a token's last use is known. */
const USE_STEP_MS = 10 * 60_000;
/** How soon a use that could not be noted is tried again. */
const RETRY_MS = 10_000;

export type Access = ReturnType<typeof createAccess>;

/** Who may come in, with what token, to which printers. */
export function createAccess({ registry, clock, secrets, authFailureLimit }: AccessOptions) {
  const failures = createFailureLimit(clock, authFailureLimit);
  const pairings = createPairings({ clock, secrets });
  /** Uses that could not be noted, and when that was tried. */
  const triedAt = new Map<string, number>();

  /** Approved by its own code, by the console or by the command line. */
  const isApproved = ({ origin, code }: Pairing): boolean => {
    const record = registry.origins.get(origin);
    const now = clock.now();
    return (
      record?.state === "approved" &&
      (record.admitted ?? []).some((admitted) => admitted.code === code && admitted.expiresAt > now)
    );
  };

  /** Roughly, so that few uses cause a write; a configuration that is locked keeps nobody from printing. */
  function noteUse(hash: string): void {
    const now = clock.now();
    const last = registry.tokenUses.get(hash) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(now - last) < USE_STEP_MS || Math.abs(now - (triedAt.get(hash) ?? last)) < RETRY_MS) return;
    triedAt.set(hash, now);
    try {
      registry.tokenUses.put(hash, now);
      triedAt.delete(hash);
    } catch {
      // Noted with a later use.
    }
  }

  function removeToken(hash: string): boolean {
    registry.tokenUses.remove(hash);
    return registry.tokens.remove(hash);
  }

  function removeTokens(origin: string): void {
    for (const token of registry.tokens.all()) if (token.origin === origin) removeToken(token.hash);
  }

  return {
    origin(name: string): OriginRecord | undefined {
      const record = registry.origins.get(name);
      return record?.state === "approved" ? record : undefined;
    },

    /** The origin that a token, known by its hash, stands for now. */
    originOfToken(hash: string): OriginRecord | undefined {
      const record = registry.tokens.get(hash);
      return record && this.origin(record.origin);
    },

    /**
     * Whose token this is. A token is good for its own origin alone. `caller` is who has to wait after too
     * many wrong ones; the right one passes whatever others have tried, for anybody can send wrong ones in a
     * page's name.
     */
    authenticate(
      token: string,
      origin: string | undefined,
      caller = origin,
    ): { readonly owner: OriginRecord; readonly tokenHash: string } {
      const tokenHash = secrets.hash(token);
      const owner = this.originOfToken(tokenHash);
      if (!owner || (origin !== undefined && owner.origin !== origin)) {
        if (caller !== undefined) failures.count(caller);
        throw new BridgeError("AUTH_INVALID", "This token is not valid for this origin.");
      }
      noteUse(tokenHash);
      return { owner, tokenHash };
    },

    /**
     * An origin that was not approved, or a new browser of one that was, asks to be let in. `claim` is the
     * secret of its earlier offer. One that was denied is not heard again.
     */
    offerPairing(origin: string, appName: string, claim?: string): PairingOffer | undefined {
      if (registry.origins.get(origin)?.state === "denied" || !isWebOrigin(origin)) return undefined;
      return pairings.offer({ origin, appName, isKnown: this.origin(origin) !== undefined }, claim);
    },

    /** The page that holds an approved claim gets its token, once. */
    redeem(claim: string, origin: string): string | undefined {
      const pairing = pairings.find(claim, origin);
      if (!pairing || !isApproved(pairing)) return undefined;
      let token: string | undefined;
      registry.together(() => {
        const record = registry.origins.get(origin) as OriginRecord;
        const admitted = (record.admitted ?? []).filter(({ code }) => code !== pairing.code);
        registry.origins.put(origin, { ...record, admitted });
        token = this.issueToken(origin);
      });
      pairings.remove(pairing.claim);
      return token;
    },

    pairings: () => pairings.all().map((pairing) => ({ ...pairing, approved: isApproved(pairing) })),

    onPairing: pairings.listen,

    /**
     * Lets an origin in, or changes what one may do that is in already. Of its pages that wait, the one with the
     * code is let in, and no other: whoever knows the origin's name can ask in it.
     */
    approve(origin: string, approval: Approval = {}): OriginRecord {
      const before = this.origin(origin);
      const now = clock.now();
      const admitted = (before?.admitted ?? []).filter(({ expiresAt }) => expiresAt > now);
      if (approval.code) admitted.push({ code: approval.code, expiresAt: now + PAIRING_LIFE_MS });
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
      return record;
    },

    /** Sends a page away that waits, and changes nothing for others of its origin. */
    dismiss(origin: string, code: string): boolean {
      const waiting = pairings.all().find((each) => each.origin === origin && each.code === code);
      if (waiting) pairings.remove(waiting.claim);
      return waiting !== undefined;
    },

    deny(origin: string): void {
      registry.together(() => {
        removeTokens(origin);
        registry.origins.put(origin, {
          origin,
          state: "denied",
          rights: { raw: false, templates: false, rfid: false },
          open: false,
          createdAt: clock.now(),
        });
      });
      pairings.removeOrigin(origin);
    },

    /** Takes everything back: the origin is unknown again and all its tokens are invalid. */
    revoke(origin: string): boolean {
      let was = false;
      registry.together(() => {
        removeTokens(origin);
        was = registry.origins.remove(origin);
      });
      pairings.removeOrigin(origin);
      return was;
    },

    issueToken(origin: string): string {
      const token = secrets.token();
      const hash = secrets.hash(token);
      registry.tokens.put(hash, { hash, origin, createdAt: clock.now() });
      return token;
    },

    tokensOf: (origin: string) => registry.tokens.all().filter((token) => token.origin === origin),

    revokeToken: removeToken,

    lastUseOf: (hash: string): number | undefined => registry.tokenUses.get(hash),

    /** The names an origin may use, each with the printer behind it, if one is bound. */
    printersOf(origin: OriginRecord): Array<{ alias: string; printer: PrinterRecord | undefined }> {
      if (!origin.aliases) return registry.printers.all().map((printer) => ({ alias: printer.id, printer }));
      return Object.entries(origin.aliases).map(([alias, id]) => ({
        alias,
        printer: registry.printers.get(id),
      }));
    },

    printerFor(origin: OriginRecord, alias: string): PrinterRecord {
      const named = !origin.aliases || Object.hasOwn(origin.aliases, alias);
      const printer = named ? registry.printers.get(origin.aliases?.[alias] ?? alias) : undefined;
      if (!named || (!origin.aliases && !printer)) {
        throw new BridgeError("PRINTER_UNKNOWN", `There is no printer "${alias}" for this origin.`);
      }
      if (!printer || (printer.address === "" && printer.transport !== "virtual")) {
        throw new BridgeError("PRINTER_UNBOUND", `No device stands behind "${alias}" yet.`);
      }
      return printer;
    },
  };
}

/** Whether a text is a web origin in the form that browsers send it. */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.origin === text;
}

/** A web origin as a person writes it, in the form that browsers send; anything else is told to be wrong. */
export function readOrigin(text: string): string {
  const origin = text.replace(/\/$/, "").toLowerCase();
  if (!isWebOrigin(origin)) {
    throw new BridgeError(
      "PROTOCOL_ERROR",
      `"${text}" is not an origin: it must look like https://app.example.com.`,
    );
  }
  return origin;
}
