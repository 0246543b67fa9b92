import { refuse } from "./codes.ts";
import type { IntegrationRecord, TokenRecord } from "./records.ts";
import type { Scope } from "./scopes.ts";
import { shownLineOr } from "./shown-text.ts";
import { hashToken, mintToken } from "./token.ts";
import type { Unit } from "./unit.ts";

/** Two, so that a new one can be rolled out before the old one is revoked. */
const MAX_LIVE_TOKENS = 2;

/** Issues a token for an integration, which is created when it is new. The token is shown this once. */
export async function issueToken(
  unit: Unit,
  wanted: { integration: string; name: string; scopes: readonly Scope[]; expiresAt: number | null },
): Promise<{ token: string; record: TokenRecord }> {
  const integration =
    (await unit.access.integration(wanted.integration)) ?? (await addIntegration(unit, wanted));
  if (wanted.expiresAt !== null && wanted.expiresAt <= unit.now) throw refuse("expiry_in_past");
  const live = (await unit.access.tokensOf(integration.id)).filter((token) => isLive(token, unit.now));
  if (live.length >= MAX_LIVE_TOKENS) throw refuse("too_many_tokens");
  const token = mintToken();
  const record: TokenRecord = {
    id: unit.newId(),
    integrationId: integration.id,
    name: shownLineOr(wanted.name, "A token's name", 100, ""),
    hash: hashToken(token),
    scopes: wanted.scopes,
    createdAt: unit.now,
    lastUsedAt: null,
    expiresAt: wanted.expiresAt,
    revokedAt: null,
  };
  await unit.access.insertToken(record);
  unit.audit("token.issued", record.id, { integration: integration.name, scopes: record.scopes });
  return { token, record };
}

export async function revokeToken(unit: Unit, id: string): Promise<void> {
  const token = await unit.access.token(id);
  if (!token) throw refuse("token_not_found");
  if (token.revokedAt !== null) return;
  await unit.access.revokeToken(id);
  unit.audit("token.revoked", id);
}

export const isLive = (token: Pick<TokenRecord, "revokedAt" | "expiresAt">, now: number): boolean =>
  token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);

async function addIntegration(unit: Unit, wanted: { integration: string }): Promise<IntegrationRecord> {
  const name = wanted.integration;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw refuse(
      "invalid",
      `An integration's name has lower-case letters, digits and dashes, not "${name}".`,
    );
  }
  const integration = { id: unit.newId(), name };
  await unit.access.insertIntegration(integration);
  return integration;
}
