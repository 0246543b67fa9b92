import type { Clock } from "@frontdesk/kit/clock";
import type { Actor } from "./audit.ts";
import { BridgeError } from "./errors.ts";
import { createFailureLimit } from "./failure-limit.ts";
import { createOriginChanges } from "./origin-changes.ts";
import { createPairings, type Pairing, type PairingOffer } from "./pairings.ts";
import type { PrinterRecord } from "./printer.ts";
import type { OriginRecord, Registry } from "./registry.ts";
import type { Secrets } from "./secrets.ts";

export interface AccessOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Refused tokens of one origin within a minute before it has to wait. */
  readonly authFailureLimit: number;
}

/** How exactly a token's last use is known. */
const USE_STEP_MS = 10 * 60_000;
/** How soon a use that could not be noted is tried again. */
const RETRY_MS = 10_000;

export type Access = ReturnType<typeof createAccess>;

/** Who may come in, with what token, to which printers. */
export function createAccess({ registry, clock, secrets, authFailureLimit }: AccessOptions) {
  const failures = createFailureLimit(clock, authFailureLimit);
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

  const pairings = createPairings({ clock, secrets, isAdmitted: isApproved });
  /** Changes, each of which is in the audit log with who made it. */
  const changesBy = (actor: Actor) => createOriginChanges({ registry, clock, secrets, pairings, actor });

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
      if (!this.mayAsk(origin)) return undefined;
      return pairings.offer({ origin, appName, isKnown: this.origin(origin) !== undefined }, claim);
    },

    /** Whether an origin may ask to be let in; one that may and gets no offer has found no place. */
    mayAsk: (origin: string): boolean =>
      registry.origins.get(origin)?.state !== "denied" && isWebOrigin(origin),

    /** The page that holds an approved claim gets its token, once. */
    redeem(claim: string, origin: string): string | undefined {
      const pairing = pairings.find(claim, origin);
      if (!pairing || !isApproved(pairing)) return undefined;
      const token = registry.together(() => {
        const record = registry.origins.get(origin) as OriginRecord;
        const admitted = (record.admitted ?? []).filter(({ code }) => code !== pairing.code);
        registry.origins.put(origin, { ...record, admitted });
        return changesBy("page").issueToken(origin, { code: pairing.code });
      });
      pairings.remove(pairing.claim);
      return token;
    },

    pairings: () => pairings.all().map((pairing) => ({ ...pairing, approved: isApproved(pairing) })),

    crowded: pairings.crowded,

    /** A page could not even connect: the administrator is told, as of one that found no place to ask. */
    foundNoPlace(origin: string): void {
      if (!this.origin(origin) && this.mayAsk(origin)) pairings.turnAway(origin);
    },

    onPairing: pairings.listen,

    by: changesBy,

    tokensOf: (origin: string) => registry.tokens.all().filter((token) => token.origin === origin),

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
