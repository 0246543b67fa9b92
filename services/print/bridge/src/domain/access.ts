import type { Clock } from "@frontdesk/kit/clock";
import { BridgeError } from "./errors.ts";
import { createFailureWindow } from "./failure-window.ts";
import type { PrinterRecord } from "./printer.ts";
import { ALL_RIGHTS, type OriginRecord, type PairingRecord, type Registry, type Rights } from "./registry.ts";

export interface Secrets {
  /** A new token: high entropy, fit for a header. */
  token(): string;
  /** A short code that a person can read out. */
  code(): string;
  hash(secret: string): string;
}

export interface AccessOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly secrets: Secrets;
  /** Refused tokens of one origin within a minute before it has to wait. */
  readonly authFailureLimit: number;
}

export interface Approval {
  readonly aliases?: Readonly<Record<string, string>>;
  readonly rights?: Rights;
  readonly open?: boolean;
}

/** What a page is told so that a person can let it in. */
export interface PairingOffer {
  readonly claim: string;
  readonly code: string;
  readonly expiresAt: string;
}

const PAIRING_LIFE_MS = 15 * 60_000;
const MOST_PAIRINGS = 100;

export type Access = ReturnType<typeof createAccess>;

/** Who may come in, with what token, to which printers. */
export function createAccess({ registry, clock, secrets, authFailureLimit }: AccessOptions) {
  const failures = createFailureWindow(clock, authFailureLimit);

  function livePairings(): PairingRecord[] {
    const now = clock.now();
    return registry.pairings.all().filter((pairing) => {
      if (pairing.expiresAt > now) return true;
      registry.pairings.remove(pairing.claim);
      return false;
    });
  }

  return {
    origin(name: string): OriginRecord | undefined {
      const record = registry.origins.get(name);
      return record?.state === "approved" ? record : undefined;
    },

    /** Whose token this is. A token is good for its own origin alone. */
    authenticate(token: string, origin: string | undefined): OriginRecord {
      const who = origin ?? "no origin";
      failures.assertRoom(who);
      const record = registry.tokens.get(secrets.hash(token));
      const owner = record && registry.origins.get(record.origin);
      if (owner?.state !== "approved" || (origin !== undefined && owner.origin !== origin)) {
        failures.add(who);
        throw new BridgeError("AUTH_INVALID", "This token is not valid for this origin.");
      }
      return owner;
    },

    /** An unknown origin asks to be let in; one that was refused is not heard again. */
    offerPairing(origin: string, appName: string): PairingOffer | undefined {
      if (registry.origins.get(origin)) return undefined;
      const live = livePairings();
      for (const old of live.filter((pairing) => pairing.origin === origin && !pairing.approved)) {
        registry.pairings.remove(old.claim);
      }
      if (live.filter((pairing) => pairing.origin !== origin).length >= MOST_PAIRINGS) return undefined;
      const claim = secrets.token();
      const pairing: PairingRecord = {
        claim: secrets.hash(claim),
        origin,
        code: secrets.code(),
        appName,
        approved: false,
        expiresAt: clock.now() + PAIRING_LIFE_MS,
      };
      registry.pairings.put(pairing.claim, pairing);
      return { claim, code: pairing.code, expiresAt: new Date(pairing.expiresAt).toISOString() };
    },

    /** The page that holds an approved claim gets its token, once. */
    redeem(claim: string, origin: string): string | undefined {
      const hash = secrets.hash(claim);
      const pairing = livePairings().find((candidate) => candidate.claim === hash);
      if (!pairing?.approved || pairing.origin !== origin) return undefined;
      registry.pairings.remove(hash);
      return this.issueToken(origin);
    },

    pairings: livePairings,

    /** Lets an origin in, or changes what one may do that is in already. */
    approve(origin: string, approval: Approval = {}): OriginRecord {
      const before = registry.origins.get(origin);
      const record: OriginRecord = {
        origin,
        state: "approved",
        ...(approval.aliases ? { aliases: { ...approval.aliases } } : {}),
        rights: approval.rights ?? ALL_RIGHTS,
        open: approval.open ?? false,
        createdAt: before?.state === "approved" ? before.createdAt : clock.now(),
      };
      registry.origins.put(origin, record);
      for (const pairing of livePairings()) {
        if (pairing.origin === origin) registry.pairings.put(pairing.claim, { ...pairing, approved: true });
      }
      return record;
    },

    deny(origin: string): void {
      this.revoke(origin);
      registry.origins.put(origin, {
        origin,
        state: "denied",
        rights: { raw: false, templates: false, rfid: false },
        open: false,
        createdAt: clock.now(),
      });
    },

    /** Takes everything back: the origin is unknown again and its tokens are worth nothing. */
    revoke(origin: string): boolean {
      for (const token of registry.tokens.all())
        if (token.origin === origin) registry.tokens.remove(token.hash);
      for (const pairing of livePairings())
        if (pairing.origin === origin) registry.pairings.remove(pairing.claim);
      return registry.origins.remove(origin);
    },

    issueToken(origin: string): string {
      const token = secrets.token();
      const hash = secrets.hash(token);
      registry.tokens.put(hash, { hash, origin, createdAt: clock.now() });
      return token;
    },

    tokensOf: (origin: string) => registry.tokens.all().filter((token) => token.origin === origin),

    revokeToken: (hash: string): boolean => registry.tokens.remove(hash),

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

/** A web origin in the form that browsers send; anything else is a mistake worth telling. */
export function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (
    !url ||
    !["http:", "https:"].includes(url.protocol) ||
    url.origin !== text.replace(/\/$/, "").toLowerCase()
  ) {
    throw new BridgeError(
      "PROTOCOL_ERROR",
      `"${text}" is not an origin: it must look like https://app.example.com.`,
    );
  }
  return url.origin;
}
