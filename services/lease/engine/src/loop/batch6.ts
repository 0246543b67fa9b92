import type { Pool6 } from "@frontdesk/lease-config/config6";
import { STATE } from "../leases/binding.ts";
import type { Lease6Record, Lease6Write } from "../leases/lease6-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
import { LatestWrites } from "./latest-writes.ts";
import type { LeaseStore6 } from "./lease-store.ts";

export interface Savepoint6 {
  readonly leases: number;
  readonly writes: number;
}

const START: Savepoint6 = { leases: 0, writes: 0 };

/** What a batch has decided of DHCPv6 and not yet written. */
export class Batch6 {
  readonly leases: PendingLeases<bigint, Pool6>;
  readonly writes: Lease6Write[] = [];
  readonly #latest: LatestWrites<bigint, Lease6Write, Lease6Record>;

  constructor(leases: PendingLeases<bigint, Pool6>, store: Pick<LeaseStore6, "find6">) {
    this.leases = leases;
    this.#latest = new LatestWrites(addressOf, (address) => store.find6(address), changed);
  }

  write(write: Lease6Write): void {
    this.writes.push(write);
    this.#latest.add(write);
  }

  /** A lease as it will be on disk when this batch is. */
  find(address: bigint): Lease6Record | undefined {
    return this.#latest.find(address);
  }

  hasWritten(address: bigint): boolean {
    return this.#latest.has(address);
  }

  get savepoint(): Savepoint6 {
    return { leases: this.leases.savepoint, writes: this.writes.length };
  }

  /** Without a savepoint, to the beginning. */
  rollBackTo({ leases, writes }: Savepoint6 = START): void {
    this.leases.rollBackTo(leases);
    if (writes === this.writes.length) return;
    this.writes.length = writes;
    this.#latest.reset(this.writes);
  }
}

const addressOf = (write: Lease6Write) => (write.kind === "put" ? write.lease.address : write.address);

function changed(before: () => Lease6Record | undefined, write: Lease6Write): Lease6Record | undefined {
  if (write.kind === "put") return write.lease;
  const lease = write.kind === "remove" ? undefined : before();
  if (!lease || write.kind === "remove") return undefined;
  if (write.kind === "mark") {
    const { state, until, told } = write;
    return { ...lease, state, until, told };
  }
  const { until, preferred, seen } = write;
  return { ...lease, state: STATE.bound, until, preferred, seen, renewals: lease.renewals + 1 };
}
