import { createHash, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { StartProblem } from "@frontdesk/kit/problem";

const MIN_KEY_LENGTH = 32;

/** A secret with a short name, which is told beside what it sealed. */
export interface SessionKey {
  readonly id: string;
  readonly secret: string;
}

/** The first key seals; all of them open. A key that is dropped from the list opens nothing any more. */
export type SessionKeys = readonly [SessionKey, ...SessionKey[]];

/** The keys that a setting lists; without it, one that is made at the first start and kept in a file. */
export function sessionKeys(options: {
  listed: readonly string[];
  setting: string;
  file: string;
}): SessionKeys {
  const isListed = options.listed.length > 0;
  const secrets = isListed ? options.listed : [keptKey(options.file)];
  if (!isListed && secrets.some((secret) => secret.length < MIN_KEY_LENGTH)) {
    throw new StartProblem(
      `The key in ${options.file} has been cut off: bring the file back from a backup, or remove it to begin with a new key, with which nothing that was sealed before can be opened.`,
    );
  }
  if (secrets.some((secret) => secret.length < MIN_KEY_LENGTH)) {
    throw new StartProblem(
      `Every key in ${options.setting} must have at least ${MIN_KEY_LENGTH} characters: make one with "openssl rand -base64 32".`,
    );
  }
  return secrets.map((secret) => ({ id: keyId(secret), secret })) as unknown as SessionKeys;
}

const keyId = (secret: string) => createHash("sha256").update(`key id ${secret}`).digest("hex").slice(0, 12);

function keptKey(file: string): string {
  // Nothing is written where it is there: the disk may be full.
  if (!existsSync(file)) makeKey(file);
  return readFileSync(file, "utf8").trim();
}

function makeKey(file: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
    // Of two that start at once, one gives its key the name; the other takes what it finds there.
    linkSync(draft, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST")
      throw new StartProblem(
        `The key ${file} cannot be made (${message}): its folder must be there, be writable and have room.`,
      );
  } finally {
    rmSync(draft, { force: true });
  }
}
