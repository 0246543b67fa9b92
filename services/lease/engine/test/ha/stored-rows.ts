import { identityOf, typeOfLength } from "../../src/dhcp6/identity.ts";
import type { Role } from "../../src/ha/ownership.ts";
import type { Row } from "../../src/ha/row.ts";
import { type Address, STATE, timeIn } from "../../src/leases/binding.ts";
import { nameOf } from "../../src/loop/pair-ledger.ts";
import type { SqliteStore } from "../../src/store/sqlite-store.ts";

/** An address of the world is a number, whatever its family; others are as they are. */
const keyOf = (address: Address) => (address > Number.MAX_SAFE_INTEGER ? address : Number(address));

class Rows extends Map<unknown, Row> {
  override get(address: unknown): Row | undefined {
    return super.get(keyOf(address as Address));
  }
}

/** The rows of the pair as they are on disk; the ends of leases are `shift` seconds later there. */
export function rowsOf(store: SqliteStore, role: Role, shift: number): Map<unknown, Row> {
  const parts = new Map(store.pair.pairs());
  const rows = new Rows();
  for (const { ip: address, state, until, mac, htype } of store.all()) {
    const end = timeIn(until, -shift);
    const part = parts.get(address);
    const { server, promise, known, seq, base } = part ?? {
      server: role,
      promise: end,
      known: 0,
      seq: 0,
      base: 0,
    };
    const identity = mac.length === 0 ? "" : nameOf(Uint8Array.of(0, htype, ...mac));
    const client = state === STATE.declined ? "" : (part?.client ?? identity);
    rows.set(address, { address, client, state, server, end, promise, known, seq, base, details: NOTHING });
  }
  const parts6 = new Map([...store.pair.pairs6()].map(([address, part]) => [`${address}`, part]));
  for (const lease of store.all6()) {
    const { address, state, until, duid, iaid, length } = lease;
    const end = timeIn(until, -shift);
    const part = parts6.get(`${address}`);
    const { server, promise, known, seq, base } = part ?? {
      server: role,
      promise: end,
      known: 0,
      seq: 0,
      base: 0,
    };
    const identity = duid.length === 0 ? "" : nameOf(identityOf(typeOfLength(length), iaid, duid));
    const client = state === STATE.declined ? "" : (part?.client ?? identity);
    const row = { address, client, state, server, end, promise, known, seq, base, details: NOTHING };
    rows.set(keyOf(address), row);
  }
  return rows;
}

const NOTHING = new Uint8Array(0);
