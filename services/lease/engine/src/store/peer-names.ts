import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ipv6Bytes } from "@frontdesk/lease-options/address";
import { STATE } from "../leases/binding.ts";
import type { NameIntent, NamePolicy } from "../leases/dns-name.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import { blank, type NameRows, type OutboxRow } from "./name-rows.ts";

const SIDES = ["forward", "reverse", "old"] as const;
/** A change of the peer's has no number here. */
const ENDED_HERE = `state <> ${STATE.bound} AND pair_seq > 0`;

/**
 * What a node of a pair leaves to the other. The node that gives a lease brings its name; the other counts it as kept, so
 * that it removes it if it is the one that ends the lease, and else does nothing: an ordinary lease is brought once and
 * removed once. That holds only while this node has done nothing to the name of the address in DNS. As soon as it has, it
 * does all that the lease calls for, as if it were alone, until the lease is over: it cannot know which of its steps came
 * to DNS before those of the other and which after them. To add or to remove a record twice harms nobody, since its DHCID
 * is asked for.
 */
export class PeerNames {
  readonly #rows: NameRows;
  readonly #ended: StatementSync;
  readonly #ended6: StatementSync;

  constructor(database: DatabaseSync, rows: NameRows) {
    this.#rows = rows;
    this.#ended = database.prepare(
      `SELECT ${LEASE_COLUMNS.join(", ")} FROM lease WHERE ip = ? AND ${ENDED_HERE}`,
    );
    this.#ended6 = database.prepare(
      `SELECT ${LEASE6_COLUMNS.join(", ")} FROM lease6 WHERE address = ? AND ${ENDED_HERE}`,
    );
    for (const statement of [this.#ended, this.#ended6]) statement.setReturnArrays(true);
  }

  /** Whether this node has brought nothing for an address, has nothing under way, and has not taken a client's name away. */
  isUntouched(address: string, holder: Uint8Array | undefined): boolean {
    const isPeers = ({ peerOwner, state }: OutboxRow) =>
      state === "no_zone" || (peerOwner !== null && state === "kept");
    return this.#rowsOf(address).every(isPeers) && !(holder && this.#rows.hasLeft(address, holder));
  }

  /** Whether anything of an address is in DNS, or on its way. */
  hasRows(address: string): boolean {
    return this.#rowsOf(address).length > 0;
  }

  #rowsOf(address: string): OutboxRow[] {
    return SIDES.flatMap((side) => this.#rows.find(address, side) ?? []);
  }

  /** The lease on disk, if this node has ended it, or put its address into quarantine, and so has removed its name. */
  endedHere(ip: number): LeaseRecord | undefined {
    const row = this.#ended.get(ip) as unknown as LeaseRow | undefined;
    return row && leaseOf(row);
  }

  /** The same of DHCPv6. */
  endedHere6(address: bigint): Lease6Record | undefined {
    const row = this.#ended6.get(ipv6Bytes(address)) as unknown as Lease6Row | undefined;
    return row && lease6Of(row);
  }
}

/** The rows of a name that the other server brings. Where no zone has it, it is nowhere, and there is no row. */
export function peerRows(
  policy: NamePolicy,
  address: string,
  { name, said, owner, holder, device }: NameIntent,
  since: number,
): OutboxRow[] {
  const kept = { wanted: name, kept: name, keptFor: name, peerOwner: owner, state: "kept" } as const;
  const keptDhcid = policy.dhcidOf(owner, name);
  // First the way back, which is otherwise brought to DNS as soon as the name is there.
  const rows: OutboxRow[] = [
    { ...blank(address, "reverse"), ...kept },
    { ...blank(address, "forward"), ...kept, said, owner, holder, device, since, keptDhcid },
  ];
  return rows.flatMap((row) => {
    const plan = policy.plan(row);
    return plan.kind === "add" ? [{ ...row, keptAt: plan.at }] : [];
  });
}
