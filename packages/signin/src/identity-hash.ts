/** SHA-256 of a lower-cased, trimmed e-mail address, in lower-case hexadecimal. */
export type IdentityHash = string & { readonly __brand: "IdentityHash" };

/** The hash that a text writes, in either case; undefined when it is none. */
export function parseIdentityHash(text: string): IdentityHash | undefined {
  return /^[0-9a-f]{64}$/i.test(text) ? (text.toLowerCase() as IdentityHash) : undefined;
}
