import { createHash } from "node:crypto";
import { domainToASCII, domainToUnicode } from "node:url";
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
  if (!local || local.length > MAX_LOCAL_PART_LENGTH || !isOneForm(address)) throw refuse("invalid_email");
  return address as EmailAddress;
}

/**
 * Whether nobody writes the same mailbox otherwise: mail is sent to what IDNA (UTS 46) makes of the domain, so full-width
 * letters, ligatures or the form with `xn--` would be other accounts, with limits of their own, behind one inbox.
 */
function isOneForm(address: string): boolean {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return address === address.normalize("NFC") && domain === domainToUnicode(domainToASCII(domain));
}

export function identityHash(email: EmailAddress): IdentityHash {
  return createHash("sha256").update(email).digest("hex") as IdentityHash;
}
