import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { Secret, TOTP } from "otpauth";
import { createSealedBox } from "./sealed-box.ts";
import type { SecondFactorRows, TotpRow } from "./second-factor-rows.ts";
import type { SessionKeys } from "./session-keys.ts";

const RECOVERY_CODES = 10;
/** A phone's clock may be a step of thirty seconds off, either way. */
const WINDOW = 1;
const SEALED_FOR_EVER = 0;

export type FactorVerdict = "passed" | "missing" | "wrong";

/** Codes from a phone (RFC 6238), and codes on paper for when the phone is gone. */
export function createSecondFactor(options: { keys: SessionKeys; clock: Clock; issuer: string }) {
  const { clock, issuer } = options;
  const box = createSealedBox({ keys: options.keys, clock, ttlMs: SEALED_FOR_EVER });

  const generator = (secret: string, label: string) =>
    new TOTP({ issuer, label, secret: Secret.fromBase32(secret) });

  async function stepOf(row: TotpRow, code: string): Promise<number | undefined> {
    const opened = await box.open(row.secret);
    if (typeof opened !== "string") return undefined;
    const timestamp = clock.now();
    const totp = generator(opened, "");
    const delta = totp.validate({ token: code, timestamp, window: WINDOW });
    return delta === null ? undefined : totp.counter({ timestamp }) + delta;
  }

  async function takes(rows: SecondFactorRows, row: TotpRow, given: string): Promise<boolean> {
    const code = given.replace(/\s/g, "");
    if (/^\d{6}$/.test(code)) {
      const step = await stepOf(row, code);
      return step !== undefined && (await rows.takeStep(row.subject, step));
    }
    return rows.takeRecoveryCode(row.subject, recoveryHash(code));
  }

  return {
    async status(rows: SecondFactorRows, subject: string) {
      const row = await rows.find(subject);
      return {
        enabled: Boolean(row?.confirmed_at),
        recoveryCodesLeft: row?.confirmed_at ? await rows.countRecoveryCodes(subject) : 0,
      };
    },

    /** A new secret, which counts only when it is confirmed; undefined where one is in force. */
    async begin(rows: SecondFactorRows, subject: string, label: string) {
      if ((await rows.findLocked(subject))?.confirmed_at) return undefined;
      const secret = new Secret({ size: 20 }).base32;
      await rows.put({ subject, secret: await box.seal(secret), confirmed_at: null, last_step: 0 });
      return { secret, uri: generator(secret, label).toString() };
    },

    /** Puts the begun secret in force when the code fits it; answers with the recovery codes, shown this once. */
    async confirm(rows: SecondFactorRows, subject: string, code: string): Promise<string[] | undefined> {
      const row = await rows.findLocked(subject);
      if (!row || row.confirmed_at) return undefined;
      const step = await stepOf(row, code.replace(/\s/g, ""));
      if (step === undefined) return undefined;
      await rows.put({ ...row, confirmed_at: clock.now(), last_step: step });
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      await rows.putRecoveryCodes(subject, codes.map(recoveryHash));
      return codes;
    },

    /** Whether the second factor, where there is one, is satisfied by what was given. */
    async check(rows: SecondFactorRows, subject: string, code: string | undefined): Promise<FactorVerdict> {
      const row = await rows.findLocked(subject);
      if (!row?.confirmed_at) return "passed";
      if (!code) return "missing";
      if (!(await takes(rows, row, code))) return "wrong";
      // A secret that an older key sealed moves on to the newest, so that the older can be dropped one day.
      const secret = box.isCurrent(row.secret) ? undefined : await box.open(row.secret);
      const now = await rows.find(subject);
      if (secret && now) await rows.put({ ...now, secret: await box.seal(secret) });
      return "passed";
    },

    remove: (rows: SecondFactorRows, subject: string) => rows.remove(subject),
  };
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** Eighty random bits: no list of guesses undoes its hash. */
const newRecoveryCode = () =>
  randomBytes(10)
    .toString("hex")
    .replace(/^(.{5})(.{5})(.{5})(.{5})$/, "$1-$2-$3-$4");

const recoveryHash = (code: string) =>
  createHash("sha256")
    .update(code.toLowerCase().replace(/[^0-9a-f]/g, ""))
    .digest("hex");
