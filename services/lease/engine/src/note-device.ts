import type { Address } from "./leases/binding.ts";
import type { Batch } from "./loop/batch.ts";
import type { PairNode } from "./loop/pair-node.ts";
import type { SqliteStore } from "./store/sqlite-store.ts";

/** What people say of the device that has an address; what is left undefined stays as it was. */
export function noteDevice(
  { store, pair }: { readonly store: SqliteStore; readonly pair: PairNode | undefined },
  batch: Batch,
  { address, mac }: { readonly address: Address; readonly mac: Uint8Array },
  said: { readonly note?: string | null | undefined; readonly dnsName?: string | null | undefined },
): void {
  const known = store.note(mac) ?? { note: null, dnsName: null, changed: 0 };
  const note = {
    mac,
    note: said.note === undefined ? known.note : said.note,
    dnsName: said.dnsName === undefined ? known.dnsName : said.dnsName,
    // Whoever says something here has seen what was said before.
    changed: Math.max(batch.wallMs, known.changed + 1),
  };
  batch.note(note);
  pair?.noted(note, address);
  batch.after(() => store.refreshNames(address, mac));
}
