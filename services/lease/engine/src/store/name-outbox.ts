import type { DatabaseSync, StatementSync } from "node:sqlite";
import { formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import { STATE } from "../leases/binding.ts";
import type { NameIntent, NamePolicy, NameResult, NameRow } from "../leases/dns-name.ts";
import type { LeaseRecord, LeaseWrite } from "../leases/lease-record.ts";
import { isPrefix, type Lease6Write } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";

const CATCH_UP_ROWS = 500;
/** Below every address. */
const NONE = -1;
const TRY_AGAIN =
  "UPDATE dns_name SET state = 'pending', due = 0, tries = 0 WHERE state IN ('refused', 'conflict', 'no_zone')";

/**
 * Names on their way to DNS, one row for each address; the newest intent wins. It is written in the transaction
 * of the lease, and only where it differs from the one before: a renewal that says nothing new writes nothing.
 */
export class NameOutbox {
  policy: NamePolicy | undefined;
  readonly #database: DatabaseSync;
  readonly #want: StatementSync;
  readonly #unwant: StatementSync;
  readonly #override: StatementSync;
  readonly #done: StatementSync;
  readonly #forget: StatementSync;
  /** The address up to which leases were looked at since the policy has changed; undefined when all were. */
  #caughtUpTo: number | undefined;
  #lastSeq: number;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#want = database.prepare(
      `INSERT INTO dns_name (address, wanted, wanted_dhcid, said, state, tries, due, seq) VALUES (?1, ?2, ?3, ?4, 'pending', 0, 0, ?5)
       ON CONFLICT (address) DO UPDATE SET wanted = ?2, wanted_dhcid = ?3, said = ?4, state = 'pending', error = NULL, tries = 0, due = 0, seq = ?5
       WHERE wanted IS NOT ?2 OR wanted_dhcid IS NOT ?3`,
    );
    this.#unwant = database.prepare(
      `UPDATE dns_name SET wanted = NULL, wanted_dhcid = NULL, state = 'pending', error = NULL, tries = 0, due = 0, seq = ?2
       WHERE address = ?1 AND wanted IS NOT NULL`,
    );
    this.#override = database.prepare("SELECT dns_name FROM device WHERE mac = ?");
    this.#override.setReturnArrays(true);
    this.#done = database.prepare(
      `UPDATE dns_name SET kept = ?2, kept_dhcid = ?3,
         state = CASE WHEN seq = ?4 THEN ?5 ELSE state END, error = CASE WHEN seq = ?4 THEN ?6 ELSE error END,
         tries = CASE WHEN seq = ?4 THEN ?7 ELSE tries END, due = CASE WHEN seq = ?4 THEN ?8 ELSE due END
       WHERE address = ?1`,
    );
    this.#forget = database.prepare(
      "DELETE FROM dns_name WHERE address = ? AND wanted IS NULL AND kept IS NULL AND seq = ?",
    );
    const { seq } = database.prepare("SELECT coalesce(max(seq), 0) AS seq FROM dns_name").get() as {
      seq: number;
    };
    this.#lastSeq = seq;
  }

  /** What a change of a lease means for its name; in the transaction of that change. */
  follow(write: LeaseWrite): void {
    const { policy } = this;
    if (!policy || write.kind === "renew") return;
    if (write.kind === "put" && write.lease.state === STATE.bound) {
      this.#follow(write.lease, policy);
      return;
    }
    const ip = write.kind === "put" ? write.lease.ip : write.ip;
    if (write.kind === "put" || !policy.keeps(ip)) this.#keep(formatIpv4(ip), undefined);
  }

  /** The same of DHCPv6, of addresses: a prefix has no name. */
  follow6(write: Lease6Write): void {
    const { policy } = this;
    if (!policy || write.kind === "renew") return;
    if (write.kind === "put" && write.lease.state === STATE.bound && !isPrefix(write.lease)) {
      this.#keep(
        formatIpv6(write.lease.address),
        policy.nameOf6(write.lease, this.#overrideOf(write.lease.mac)),
      );
      return;
    }
    const { address } = write.kind === "put" ? write.lease : write;
    if (write.kind === "put" || !policy.keeps(address)) this.#keep(formatIpv6(address), undefined);
  }

  /** After what people say of a device has changed. */
  refresh(lease: LeaseRecord): void {
    if (this.policy && lease.state === STATE.bound) this.#follow(lease, this.policy);
  }

  #follow(lease: LeaseRecord, policy: NamePolicy): void {
    this.#keep(formatIpv4(lease.ip), policy.nameOf(lease, this.#overrideOf(lease.mac)));
  }

  #overrideOf(mac: Uint8Array): string | null {
    return (this.#override.get(mac) as unknown as [string | null] | undefined)?.[0] ?? null;
  }

  #keep(address: string, intent: NameIntent | undefined): void {
    if (intent) this.#want.run(address, intent.name, intent.dhcid, intent.said, ++this.#lastSeq);
    else this.#unwant.run(address, ++this.#lastSeq);
  }

  settle({ address, kept, keptDhcid, seq, state, error, tries, due }: NameResult): void {
    this.#done.run(address, kept, keptDhcid, seq, state, error, tries, due);
    this.#forget.run(address, seq);
  }

  /**
   * Another policy: leases that were there before get their names by it, and what waited for people is tried again.
   * Both come with the next steps of `catchUp`: a disk that takes nothing must not keep a configuration from running.
   */
  begin(policy: NamePolicy | undefined): void {
    this.policy = policy;
    this.#caughtUpTo = policy ? NONE : undefined;
  }

  /** A few more leases of those that were there before; answers whether there may be others. In a transaction of its own. */
  catchUp(transaction: (work: () => void) => void): boolean {
    const { policy } = this;
    if (this.#caughtUpTo === undefined || !policy) return false;
    const page = this.#database.prepare(
      `SELECT ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ip > ? AND state = ${STATE.bound} ORDER BY ip LIMIT ${CATCH_UP_ROWS}`,
    );
    page.setReturnArrays(true);
    const rows = (page.all(this.#caughtUpTo) as unknown as LeaseRow[]).map(leaseOf);
    transaction(() => {
      if (this.#caughtUpTo === NONE) this.#database.exec(TRY_AGAIN);
      for (const lease of rows) this.#follow(lease, policy);
    });
    this.#caughtUpTo = rows.length < CATCH_UP_ROWS ? undefined : rows.at(-1)?.ip;
    return this.#caughtUpTo !== undefined;
  }
}

const NAME_COLUMNS =
  "address, wanted, wanted_dhcid AS wantedDhcid, kept, kept_dhcid AS keptDhcid, tries, seq";

/** Names whose time has come, the oldest intent first. */
export function dueNames(database: DatabaseSync, now: number, limit: number): NameRow[] {
  return database
    .prepare(`SELECT ${NAME_COLUMNS} FROM dns_name WHERE state = 'pending' AND due <= ? ORDER BY seq LIMIT ?`)
    .all(now, limit) as unknown as NameRow[];
}
