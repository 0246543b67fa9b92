import type { Batch } from "@frontdesk/store/store";
import type { Kysely } from "kysely";
import { refuse } from "../domain/codes.ts";
import type { StatusDefinition } from "../domain/resources.ts";
import type { HotQueries } from "./hot-queries.ts";
import type { Tables } from "./tables.ts";
import { createVocabularies } from "./vocabularies.ts";

/** An organisation as the changes of one transaction leave it to each other. */
export interface OrgInHand {
  readonly id: string;
  sequence: number;
  vocabulary: readonly StatusDefinition[];
}

/**
 * Changes that share a transaction share the organisation's row: the first reads and locks it, and how
 * far its events have come is written once, at the end.
 */
export function createOrgsInHand(hot: HotQueries) {
  const vocabularies = createVocabularies();
  const hands = new WeakMap<Batch, Map<string, OrgInHand>>();

  async function take(
    tx: Kysely<Tables>,
    batch: Batch,
    hand: Map<string, OrgInHand>,
    orgId: string,
  ): Promise<OrgInHand> {
    const [row] = await hot.lockOrg(tx, { orgId });
    if (!row) throw refuse("org_not_found");
    const { id, sequence } = row;
    const org = { id, sequence, vocabulary: await vocabularies(tx, row) };
    batch.beforeCommit(
      () => org.sequence > sequence && hot.saveSequence(tx, { orgId: id, sequence: org.sequence }),
    );
    hand.set(id, org);
    return org;
  }

  return (tx: Kysely<Tables>, batch: Batch, orgId: string): OrgInHand | Promise<OrgInHand> => {
    let hand = hands.get(batch);
    if (!hand) {
      hand = new Map();
      hands.set(batch, hand);
    }
    return hand.get(orgId) ?? take(tx, batch, hand, orgId);
  };
}
