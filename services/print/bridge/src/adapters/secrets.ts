import { createHash, randomBytes, randomInt } from "node:crypto";
import type { Secrets } from "../domain/secrets.ts";

/** Letters and digits that are not taken for one another when read out. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export const systemSecrets: Secrets = {
  token: () => `fdprint_${randomBytes(32).toString("base64url")}`,
  code: () => Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
  hash: (secret) => createHash("sha256").update(secret).digest("hex"),
};
