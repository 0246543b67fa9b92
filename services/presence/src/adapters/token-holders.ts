import type { Store } from "@frontdesk/store/store";
import type { FindTokenHolder, TokenHolder } from "../domain/token-holder.ts";
import { memory } from "./memory.ts";
import type { Tables } from "./tables.ts";

/**
 * Finds who a token belongs to. The store is asked each time, so that a revocation counts at once; for
 * as long as it answers with the same row, the answer is the same.
 */
export function createTokenHolders(store: Store<Tables>): FindTokenHolder {
  const { read } = store;
  const byHash = store.prepare(
    read
      .selectFrom("tokens")
      .select(["id", "integration_id", "scopes", "expires_at", "revoked_at"])
      .where("hash", "=", "")
      .compile(),
  );
  type Row = Awaited<ReturnType<typeof byHash>>[number];
  const holders = new WeakMap<Row, TokenHolder>();
  /** These never change. */
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

  async function holderOf(row: Row): Promise<TokenHolder> {
    const { integration, org } = namesOf.get(row.integration_id) ?? (await readNames(row.integration_id));
    const holder = {
      tokenId: row.id,
      scopes: JSON.parse(row.scopes),
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      integration,
      org,
    };
    holders.set(row, holder);
    return holder;
  }

  const known = ([row]: readonly Row[]) => row && (holders.get(row) ?? holderOf(row));

  return (hash) => {
    const rows = byHash(hash);
    return rows instanceof Promise ? rows.then(known) : known(rows);
  };
}
