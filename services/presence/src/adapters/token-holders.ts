import type { Store } from "@frontdesk/store/store";
import type { Scope } from "../domain/scopes.ts";
import { hotQuery, slot } from "./hot-query.ts";
import { memory } from "./memory.ts";
import type { Tables } from "./tables.ts";

export interface TokenHolder {
  readonly tokenId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly integration: { readonly id: string; readonly name: string };
  readonly org: { readonly id: string; readonly slug: string };
}

/**
 * Finds who a token belongs to. The token is looked up each time, so that a revocation counts at
 * once; the names of its integration and organisation never change and are looked up once.
 */
export function createTokenHolders(store: Store<Tables>): (hash: string) => Promise<TokenHolder | undefined> {
  const { read } = store;
  const byHash = hotQuery(
    store,
    read
      .selectFrom("tokens")
      .select(["id", "org_id", "integration_id", "scopes", "expires_at", "revoked_at"])
      .where("hash", "=", slot(0)),
  );
  const scopesOf = memory<readonly Scope[]>();
  const namesOf = memory<Pick<TokenHolder, "integration" | "org">>();

  async function readNames(integrationId: string): Promise<Pick<TokenHolder, "integration" | "org">> {
    const row = await read
      .selectFrom("integrations")
      .innerJoin("orgs", "orgs.id", "integrations.org_id")
      .select(["integrations.name", "orgs.id", "orgs.slug"])
      .where("integrations.id", "=", integrationId)
      .executeTakeFirstOrThrow();
    const { name, id, slug } = row;
    return namesOf.keep(integrationId, { integration: { id: integrationId, name }, org: { id, slug } });
  }

  return async (hash) => {
    const [row] = await byHash(read, hash);
    if (!row) return undefined;
    const { integration, org } = namesOf.get(row.integration_id) ?? (await readNames(row.integration_id));
    return {
      tokenId: row.id,
      scopes: scopesOf.get(row.scopes) ?? scopesOf.keep(row.scopes, JSON.parse(row.scopes)),
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      integration,
      org,
    };
  };
}
