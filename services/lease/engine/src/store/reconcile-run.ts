import type { DatabaseSync, StatementSync } from "node:sqlite";
import { STATE } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import type { NameRows } from "./name-rows.ts";

/** Rows or leases of one step: few enough that no packet waits for it. */
export const RECONCILED_ROWS = 300;

/** What is looked at, in this order; names that become free are free for those that come later. */
type Stage =
  /** `confirms`: all names are brought again; the other server of a pair may have removed them, or not have brought its own. */
  | { readonly of: "rows"; readonly after: string; readonly confirms: boolean }
  | { readonly of: "leases"; readonly after: number; readonly confirms: boolean }
  | { readonly of: "leases6"; readonly after: Uint8Array; readonly confirms: boolean };

/** What is done with each address that has a name, and with each lease: when a run confirms, also with those that the other server has ended. */
export interface Reconciling {
  row(address: string, confirms: boolean): void;
  lease(lease: LeaseRecord): void;
  lease6(lease: Lease6Record): void;
}

/** A run over all names and leases, a few of them at a time. */
export class ReconcileRun {
  readonly #rows: NameRows;
  readonly #reconciling: Reconciling;
  readonly #leases: StatementSync;
  readonly #leases6: StatementSync;
  readonly #mark: StatementSync;
  readonly #unmark: StatementSync;
  readonly #marked: StatementSync;
  /** Where the run is; undefined when it is done. */
  #stage: Stage | undefined;
  /** Another run when this one is done, which began by an older policy; undefined when there is none. */
  #next: Stage | undefined;

  constructor(database: DatabaseSync, rows: NameRows, reconciling: Reconciling) {
    this.#rows = rows;
    this.#reconciling = reconciling;
    const { bound, released, expired } = STATE;
    const isEndedByPeer = `state IN (${released}, ${expired}) AND pair_seq = 0`;
    const leasesAfter = (columns: readonly string[], table: string, key: string) => {
      const which = `${key} > ? AND (state = ${bound} OR (? AND ${isEndedByPeer}))`;
      const statement = database.prepare(
        `SELECT ${columns.join(", ")} FROM ${table} WHERE ${which} ORDER BY ${key} LIMIT ${RECONCILED_ROWS}`,
      );
      statement.setReturnArrays(true);
      return statement;
    };
    this.#leases = leasesAfter(LEASE_COLUMNS, "lease", "ip");
    this.#leases6 = leasesAfter(LEASE6_COLUMNS, "lease6", "address");
    this.#mark = database.prepare("INSERT OR IGNORE INTO dns_confirm VALUES (1)");
    this.#unmark = database.prepare("DELETE FROM dns_confirm");
    this.#marked = database.prepare("SELECT 1 FROM dns_confirm");
  }

  /** All names are to be brought again, also by a later start; within the transaction of what calls for it. */
  owe(): void {
    this.#mark.run();
  }

  /** Whether a run that brings all names again was cut short. */
  get isOwed(): boolean {
    return this.#marked.get() !== undefined;
  }

  /** Begins, or follows the run that is under way. */
  begin(confirms: boolean): void {
    const run: Stage = { of: "rows", after: "", confirms: confirms || this.#isConfirmingNext };
    this.#next = this.#stage && run;
    this.#stage ??= run;
  }

  get #isConfirmingNext(): boolean {
    return this.#next?.of === "rows" && this.#next.confirms;
  }

  stop(): void {
    this.#stage = undefined;
    this.#next = undefined;
  }

  /** A few more; answers whether there may be more. */
  step(transaction: (work: () => void) => void): boolean {
    const stage = this.#stage;
    if (!stage) return false;
    let next: Stage | undefined = stage;
    transaction(() => {
      next = this.#reconciled(stage);
    });
    this.#stage = next ?? this.#next;
    if (!next) this.#next = undefined;
    return this.#stage !== undefined;
  }

  /** Answers where the run goes on. */
  #reconciled(stage: Stage): Stage | undefined {
    const isLast = ({ length }: readonly unknown[]) => length < RECONCILED_ROWS;
    if (stage.of === "rows") {
      const addresses = this.#rows.addresses(stage.after, RECONCILED_ROWS);
      for (const address of addresses) this.#reconciling.row(address, stage.confirms);
      return isLast(addresses)
        ? { of: "leases", after: -1, confirms: stage.confirms }
        : { ...stage, after: addresses.at(-1) as string };
    }
    const { confirms } = stage;
    if (stage.of === "leases") {
      const leases = (this.#leases.all(stage.after, Number(confirms)) as unknown as LeaseRow[]).map(leaseOf);
      for (const lease of leases) this.#reconciling.lease(lease);
      return isLast(leases)
        ? { of: "leases6", after: new Uint8Array(0), confirms }
        : { of: "leases", after: leases.at(-1)?.ip as number, confirms };
    }
    const rows = this.#leases6.all(stage.after, Number(confirms)) as unknown as Lease6Row[];
    for (const lease of rows.map(lease6Of)) this.#reconciling.lease6(lease);
    if (!isLast(rows)) return { of: "leases6", after: rows.at(-1)?.[0] as Uint8Array, confirms };
    if (confirms && !this.#isConfirmingNext) this.#unmark.run();
    return undefined;
  }
}
