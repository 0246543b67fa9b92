export interface Secrets {
  /** A new token: high entropy, fit for a header. */
  token(): string;
  /** A short code that a person can read out. */
  code(): string;
  hash(secret: string): string;
}
