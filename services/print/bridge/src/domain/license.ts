import { type Static, Type } from "typebox";
import { BridgeError } from "./errors.ts";

export const License = Type.Object(
  {
    state: Type.Enum(["active", "expired", "suspended"]),
    tier: Type.String({ maxLength: 60 }),
    rfidEncode: Type.Boolean(),
    serving: Type.Boolean(),
    expiresAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  },
  { additionalProperties: false },
);
export type License = Static<typeof License>;

/** What holds where no license was installed. */
export const COMMUNITY: License = {
  state: "active",
  tier: "community",
  rfidEncode: true,
  serving: true,
  expiresAt: null,
};

/** What holds where one was installed that cannot be checked. */
export const UNVERIFIED: License = {
  state: "suspended",
  tier: "unverified",
  rfidEncode: false,
  serving: false,
  expiresAt: null,
};

/** The license as it stands at a moment: one whose day has passed serves nobody. */
export function licenseAt(license: License, now: number): License {
  if (license.expiresAt === null || Date.parse(license.expiresAt) > now) return license;
  return { ...license, state: "expired", serving: false };
}

export function assertPrinting(license: License, usesRfid: boolean): void {
  if (license.state !== "active" || !license.serving) {
    throw new BridgeError("LICENSE_BLOCKED", `The license is ${license.state} and does not allow printing.`);
  }
  if (usesRfid && !license.rfidEncode) {
    throw new BridgeError("LICENSE_BLOCKED", "The license does not include RFID encoding.");
  }
}
