import { createHash } from "node:crypto";
import type { IdentityHash } from "./identity-hash.ts";
import { refuse } from "./refusals.ts";

/** An address, lower-cased and trimmed: the form that is kept, compared and hashed. */
export type EmailAddress = string & { readonly __brand: "EmailAddress" };

const MAX_LENGTH = 254;
const MAX_LOCAL_PART_LENGTH = 64;

/** The dotted form of RFC 5321, with letters of any script; quoted local parts and address literals are none. */
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const SHAPE = new RegExp(`^(${ATOM}(?:\\.${ATOM})*)@${LABEL}(?:\\.${LABEL})*$`, "u");

/** Anything else is refused: what mail programs read differently must not name an account. */
export function parseEmailAddress(text: string): EmailAddress {
  const address = text.length <= 2 * MAX_LENGTH ? text.trim().toLowerCase() : "";
  const local = address.length <= MAX_LENGTH ? SHAPE.exec(address)?.[1] : undefined;
  if (!local || local.length > MAX_LOCAL_PART_LENGTH) throw refuse("invalid_email");
  return address as EmailAddress;
}

export function identityHash(email: EmailAddress): IdentityHash {
  return createHash("sha256").update(email).digest("hex") as IdentityHash;
}
