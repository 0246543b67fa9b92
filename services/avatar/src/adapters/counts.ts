import type { Store } from "@frontdesk/store/store";
import type { Counts } from "../domain/platform.ts";
import type { Tables } from "./tables.ts";

/** Aggregates only: no row leaves the database. */
export function storeCounts(store: Store<Tables>): () => Promise<Counts> {
  const { read } = store;
  const countOf = async (query: {
    executeTakeFirstOrThrow(): Promise<{ count: number | string | bigint }>;
  }) => Number((await query.executeTakeFirstOrThrow()).count);
  return async () => {
    const accounts = read.selectFrom("accounts").select((eb) => eb.fn.countAll<number>().as("count"));
    const verified = read
      .selectFrom("claims")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("verified_at", "is not", null);
    const several = read
      .selectFrom((eb) =>
        eb
          .selectFrom("claims")
          .select("account_id")
          .where("verified_at", "is not", null)
          .groupBy("account_id")
          .having((having) => having.fn.countAll(), ">", 1)
          .as("several"),
      )
      .select((eb) => eb.fn.countAll<number>().as("count"));
    const kinds = await read
      .selectFrom("accounts")
      .select((eb) => ["kind", eb.fn.countAll<number>().as("accounts")])
      .where("kind", "is not", null)
      .groupBy("kind")
      .orderBy("kind")
      .execute();
    const styles = await read
      .selectFrom("accounts")
      .select((eb) => ["collection as style", eb.fn.countAll<number>().as("accounts")])
      .where("collection", "is not", null)
      .groupBy("collection")
      .orderBy("collection")
      .execute();
    const by_kind = kinds.map(({ kind, accounts }) => ({ kind: kind as string, accounts: Number(accounts) }));
    return {
      totals: {
        accounts: await countOf(accounts),
        verified_emails: await countOf(verified),
        accounts_with_avatar: by_kind.reduce((sum, each) => sum + each.accounts, 0),
        multi_email_accounts: await countOf(several),
      },
      by_kind,
      by_style: styles.map(({ style, accounts }) => ({ style: style as string, accounts: Number(accounts) })),
    };
  };
}
