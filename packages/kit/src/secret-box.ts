import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Seals what must be had again in the clear, with keys that are not in the database. */
export interface SecretBox {
  seal(text: string): string;
  /** What was sealed with any of the keys; undefined when none of them fits, or it was changed. */
  open(sealed: string): string | undefined;
  /** Whether it is sealed at all, and by the newest key. */
  isCurrent(sealed: string): boolean;
  /** How everything begins that one of the keys has sealed: a database can look for it. */
  readonly prefixes: readonly string[];
}

const MARK = "sealed1";
const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals, all of them open; each has a short name that is told beside what it sealed. */
export function createSecretBox(
  keys: ReadonlyArray<{ readonly id: string; readonly secret: string }>,
  purpose: string,
): SecretBox {
  const derived = new Map(
    keys.map(({ id, secret }) => [id, Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES))]),
  );
  const [first] = keys;
  if (!first) throw new Error("a box needs a key");
  const prefixes = keys.map(({ id }) => `${MARK}.${id}.`);
  const [newest = ""] = prefixes;
  return {
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, derived.get(first.id) as Buffer, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${newest}${sealed.toString("base64url")}`;
    },
    open: (sealed) => {
      const [mark, id = "", content = ""] = sealed.split(".");
      const key = derived.get(id);
      const bytes = Buffer.from(content, "base64url");
      if (mark !== MARK || !key || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
    isCurrent: (sealed) => sealed.startsWith(newest),
    prefixes,
  };
}
