import type { Scope } from "./scopes.ts";

export interface TokenHolder {
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly integration: { readonly id: string; readonly name: string };
  readonly org: { readonly id: string; readonly slug: string };
}

type Found = TokenHolder | undefined;

/** By the token's hash. At once where the answer is at hand. */
export type FindTokenHolder = (hash: string) => Found | Promise<Found>;

/** Notes when tokens are used. */
export interface TokenUsage {
  note(tokenId: string): void;
}
