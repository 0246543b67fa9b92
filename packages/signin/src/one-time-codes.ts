import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import type { CodeRows } from "./code-rows.ts";
import { latestEnd, longAgo } from "./lifetime.ts";
import type { SessionKey, SessionKeys } from "./session-keys.ts";

export const CODE_LIFETIME_MS = 10 * 60_000;
const MAX_TRIES = 5;

export type CodeVerdict = "right" | "wrong";

/**
 * Six digits that are good once, for ten minutes and five tries, for one purpose and one address. A
 * million possibilities are soon tried through, so what is kept is keyed: who has the database
 * without the keys learns nothing.
 */
export function createOneTimeCodes(options: { keys: SessionKeys; clock: Clock; random?: () => number }) {
  const random = options.random ?? (() => randomInt(1_000_000));
  const hash = (key: SessionKey, purpose: string, address: string, code: string) =>
    createHmac("sha256", key.secret)
      .update(JSON.stringify(["code", purpose, address, code]))
      .digest();

  return {
    /** A new code, which takes the place of one that may be out. */
    async issue(rows: CodeRows, purpose: string, address: string): Promise<string> {
      const code = String(random()).padStart(6, "0");
      const now = options.clock.now();
      await rows.removeExpired(longAgo(now, CODE_LIFETIME_MS));
      await rows.put({
        purpose,
        address,
        code_hash: hash(options.keys[0], purpose, address, code).toString("hex"),
        tries: 0,
        expires_at: now + CODE_LIFETIME_MS,
      });
      return code;
    },

    /** Counts the try. A right code stays until it is spent, because more than the code may be asked for. */
    async check(rows: CodeRows, purpose: string, address: string, code: string): Promise<CodeVerdict> {
      const now = options.clock.now();
      const ends = { after: now, until: latestEnd(now, CODE_LIFETIME_MS) };
      const row = await rows.countTry(purpose, address, MAX_TRIES, ends);
      if (!row) return "wrong";
      const kept = Buffer.from(row.code_hash, "hex");
      // People type and paste codes with spaces in them.
      const digits = code.replace(/\s/g, "");
      const right = options.keys.some((key) => timingSafeEqual(hash(key, purpose, address, digits), kept));
      return right ? "right" : "wrong";
    },

    spend: (rows: CodeRows, purpose: string, address: string) => rows.remove(purpose, address),
  };
}

export type OneTimeCodes = ReturnType<typeof createOneTimeCodes>;
