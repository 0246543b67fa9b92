import type { Pool6 } from "@frontdesk/lease-config/config6";
import { STATE } from "../leases/binding.ts";
import type { Lease6Record, Lease6Write } from "../leases/lease6-record.ts";
import type { PendingLeases } from "../leases/pending-leases.ts";
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
  readonly #store: Pick<LeaseStore6, "find6">;

  constructor(leases: PendingLeases<bigint, Pool6>, store: Pick<LeaseStore6, "find6">) {
    this.leases = leases;
    this.#store = store;
  }

  write(write: Lease6Write): void {
    this.writes.push(write);
  }

  /** A lease as it will be on disk when this batch is. */
  find(address: bigint): Lease6Record | undefined {
    let found: Lease6Record | undefined = this.#store.find6(address);
    for (const write of this.writes) {
      if (write.kind === "put") {
        if (write.lease.address === address) found = write.lease;
      } else if (write.address !== address) continue;
      else if (write.kind === "remove") found = undefined;
      else if (found) found = changed(found, write);
    }
    return found;
  }

  get savepoint(): Savepoint6 {
    return { leases: this.leases.savepoint, writes: this.writes.length };
  }

  /** Without a savepoint, to the beginning. */
  rollBackTo({ leases, writes }: Savepoint6 = START): void {
    this.leases.rollBackTo(leases);
    this.writes.length = writes;
  }
}

function changed(lease: Lease6Record, write: Extract<Lease6Write, { kind: "renew" | "mark" }>): Lease6Record {
  if (write.kind === "mark") {
    const { state, until, told } = write;
    return { ...lease, state, until, told };
  }
  const { until, preferred, seen } = write;
  return { ...lease, state: STATE.bound, until, preferred, seen, renewals: lease.renewals + 1 };
}
