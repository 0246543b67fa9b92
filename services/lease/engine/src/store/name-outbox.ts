import { isIPv4 } from "node:net";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { formatIpv4, formatIpv6, ipv6Bytes, parseIpv4, parseIpv6 } from "@frontdesk/lease-options/address";
import { isFree, STATE } from "../leases/binding.ts";
import {
  type KeptName,
  type NameIntent,
  type NamePolicy,
  type NameResult,
  NOTHING_KEPT,
} from "../leases/dns-name.ts";
import type { LeaseRecord, LeaseWrite } from "../leases/lease-record.ts";
import { isPrefix, type Lease6Record, type Lease6Write } from "../leases/lease6-record.ts";
import { LEASE_COLUMNS, type LeaseRow, leaseOf } from "./lease-rows.ts";
import { LEASE6_COLUMNS, type Lease6Row, lease6Of } from "./lease6-rows.ts";
import { blank, isSame, NameRows, type OutboxRow } from "./name-rows.ts";
import { PeerNames, peerRows } from "./peer-names.ts";
import { RECONCILED_ROWS, ReconcileRun } from "./reconcile-run.ts";

const COLUMNS = LEASE_COLUMNS.join(", ");
const COLUMNS6 = LEASE6_COLUMNS.join(", ");

/**
 * Names on their way to DNS: for each address what is wanted and what is kept, forward and reverse. The newest intent
 * wins. It is written in the transaction of the lease, and only where it differs from the one before: a renewal that
 * says nothing new writes nothing.
 */
export class NameOutbox {
  #policy: NamePolicy | undefined;
  readonly #rows: NameRows;
  readonly #peer: PeerNames;
  readonly #override: StatementSync;
  readonly #lease: StatementSync;
  readonly #lease6: StatementSync;
  readonly #run: ReconcileRun;
  #lastSeq: number;

  constructor(database: DatabaseSync) {
    const arrays = (query: string) => {
      const statement = database.prepare(query);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#rows = new NameRows(database);
    this.#peer = new PeerNames(database, this.#rows);
    this.#override = arrays("SELECT dns_name FROM device WHERE mac = ?");
    this.#lease = arrays(`SELECT ${COLUMNS} FROM lease WHERE ip = ?`);
    this.#lease6 = arrays(`SELECT ${COLUMNS6} FROM lease6 WHERE address = ?`);
    this.#run = new ReconcileRun(database, this.#rows, {
      row: (address, confirms) => this.#reconcileRow(address, confirms),
      lease: (lease) =>
        lease.state === STATE.bound
          ? this.#followLease(lease, lease.starts)
          : this.#removePeers(lease.ip, this.#nameOf(lease)),
      lease6: (lease) =>
        lease.state === STATE.bound
          ? this.#followLease6(lease, lease.starts)
          : this.#removePeers(lease.address, isPrefix(lease) ? undefined : this.#nameOf6(lease)),
    });
    this.#lastSeq = this.#rows.newestSeq();
  }

  /** What a change of a lease means for its name; in the transaction of that change. */
  follow(write: LeaseWrite): void {
    const { kind } = write;
    if (!this.#policy || kind === "renew") return;
    if (kind === "put") this.#followLease(write.lease);
    else if (!this.#policy.keeps(write.ip)) this.#follow(formatIpv4(write.ip), undefined, 0);
  }

  /** The same of DHCPv6. */
  follow6(write: Lease6Write): void {
    const { kind } = write;
    if (!this.#policy || kind === "renew") return;
    if (kind === "put") this.#followLease6(write.lease);
    else if (!this.#policy.keeps(write.address)) this.#follow(formatIpv6(write.address), undefined, 0);
  }

  /** The other server of a pair has changed a lease; before that is written. */
  adopt(lease: LeaseRecord): void {
    if (!this.#policy || (isFree(lease.state) && this.#policy.keeps(lease.ip))) return;
    const [intent, ended] = [this.#intentOf(lease), this.#peer.endedHere(lease.ip)];
    const isEnded = ended && isOf(intent, this.#nameOf(ended), ended.mac);
    this.#adopt(formatIpv4(lease.ip), intent, lease.seen, isEnded);
  }

  /** The same of DHCPv6. */
  adopt6(lease: Lease6Record): void {
    if (!this.#policy || (isFree(lease.state) && this.#policy.keeps(lease.address))) return;
    const [intent, ended] = [this.#intentOf6(lease), this.#peer.endedHere6(lease.address)];
    const isEnded = ended && isOf(intent, this.#nameOf6(ended), ended.duid);
    this.#adopt(formatIpv6(lease.address), intent, lease.seen, isEnded);
  }

  /** `isEnded`: this node had ended the lease that the name is of, or may have. */
  #adopt(address: string, intent: NameIntent | undefined, since: number, isEnded = false): void {
    if (!isEnded && this.#peer.isUntouched(address, intent?.holder)) {
      this.#leaveToPeer(address, intent, since);
      return;
    }
    const holder = this.#rows.find(address, "forward")?.holder;
    this.#follow(address, intent, since);
    // It is not known any more who ended the lease, and the removal from here may come to DNS after what is brought next.
    if (!intent) this.#rows.leave(address, holder ?? new Uint8Array(0));
  }

  #leaveToPeer(address: string, intent: NameIntent | undefined, since: number): void {
    const known = this.#rows.find(address, "forward");
    if (intent && this.#hasMoved(address, intent, since)) this.#unwant(address);
    else if (!known || !intent || !isWanted(known, intent)) this.#countAsKept(address, intent, since);
    // The other server removes it, or has done so already.
    const freed = known?.wanted !== intent?.name ? known?.kept : undefined;
    if (freed) this.#offer(freed);
    // From here too: the other server may know of leases that this one does not, and give it to another.
    for (const left of this.#leftWith(known, intent)) this.#look(left);
  }

  #countAsKept(address: string, intent: NameIntent | undefined, since: number): void {
    for (const side of ["forward", "reverse"] as const) this.#rows.remove({ address, side });
    if (!intent || !this.#policy) return;
    const owner = this.#joinedOwner(address, intent.device) ?? intent.owner;
    for (const row of peerRows(this.#policy, address, { ...intent, owner }, since))
      this.#save({ ...row, seq: ++this.#lastSeq });
  }

  /**
   * The other server has ended a lease, and is gone: whether it has removed its name is not known. The way back has no DHCID
   * that says whose it is by now: it goes only if the name was there.
   */
  #removePeers(key: number | bigint, intent: NameIntent | undefined): void {
    const address = typeof key === "number" ? formatIpv4(key) : formatIpv6(key);
    if (!this.#policy || !intent || this.#policy.keeps(key) || this.#peer.hasRows(address)) return;
    const owner = this.#joinedOwner(address, intent.device) ?? intent.owner;
    const rows = peerRows(this.#policy, address, { ...intent, owner }, 0);
    if (!rows.some(({ side }) => side === "forward")) return;
    for (const row of rows) {
      // As if tried already: new names do not wait behind it.
      const { holder, device } = row;
      const left = { ...row, ...NOBODY, holder, device, keptAt: null, seq: ++this.#lastSeq, tries: 1 };
      if (row.side === "forward") this.#plan(left);
      else this.#save(left);
    }
  }

  /** The addresses of a device that have names. One with very many is left to a reconcile run: no packet waits for it. */
  #ofDevice(device: Uint8Array): Array<number | bigint> {
    const addresses = this.#rows.ofDevice(device, RECONCILED_ROWS);
    if (addresses.length === RECONCILED_ROWS) this.#run.begin(false);
    return addresses.map(addressOf);
  }

  /**
   * After what people say of a device has changed; `address`: one that it holds. Each node of a pair brings the new name:
   * neither knows which leases the other knew when it was told.
   */
  refresh(address: number | bigint | null, device: Uint8Array): void {
    if (!this.#policy) return;
    if (address !== null) this.#look(address);
    for (const other of this.#ofDevice(device)) this.#look(other);
  }

  /** What became of a row; what was sent is known to be in DNS although the intent is another by now. */
  settle(result: NameResult): void {
    const { address, side, seq, state, sentFor } = result;
    const known = this.#sentFrom(result);
    if (side === "forward" && result.found) this.#removeWayBack(address, result.found);
    if (known) this.#settle(known, result, known.seq === seq);
    if (state === "removed" && side === "old") this.#confirm(address, sentFor);
    if (state === "removed" && side !== "reverse" && sentFor !== null) this.#offer(known?.kept ?? sentFor);
  }

  #settle(known: OutboxRow, result: NameResult, isCurrent: boolean): void {
    const { state, kept } = result;
    if (state === "sending" && known.keptAt !== null && !isCurrent) {
      // The intent is another by now, and yet this name may be gone in a moment.
      if (known.kept === kept) this.#plan({ ...known, keptAt: null });
      return;
    }
    const owner = (isCurrent && result.owner) || known.owner;
    const row = { ...known, ...keptOf(result), owner };
    const isOver = known.side === "old" && kept === null;
    if (isCurrent && !isOver && (state === "conflict" || state === "refused"))
      this.#save({ ...row, state, error: result.error, tries: 0, server: null, zone: null });
    else if (isCurrent) this.#plan({ ...row, error: result.error, tries: result.tries });
    else this.#plan(row);
  }

  /**
   * A name of the other server's was there: so may be the way back. Where that server had given the lease anew, and comes back to
   * tell it, the name is brought again from here: it does not know that it is gone.
   */
  #removeWayBack(address: string, name: string): void {
    const forward = this.#rows.find(address, "forward");
    if (forward?.wanted === null && forward.holder) this.#rows.leave(address, forward.holder);
    const row = this.#rows.find(address, "reverse");
    if (row && isResting(row)) this.#plan({ ...row, kept: name, keptFor: name, peerOwner: null });
  }

  /** An old name was removed that the address has again: it is brought again if it was there already. */
  #confirm(address: string, sentFor: string | null): void {
    const row = this.#rows.find(address, "forward");
    if (row && row.kept !== null && row.keptFor === sentFor) this.#plan({ ...row, keptAt: null });
  }

  /**
   * The row that knows of the name that a step was made for: one that was on its way when its zone was left is an old one
   * by now. What no row knows of, and may be in DNS, gets a place, so that it is removed.
   */
  #sentFrom({ address, side, seq, sentFor, kept }: NameResult): OutboxRow | undefined {
    const row = this.#rows.find(address, side);
    if (side === "reverse") return row ?? (kept === null ? undefined : blank(address, side));
    const old = side === "forward" ? this.#rows.find(address, "old") : undefined;
    const rows = [row, old].filter((each) => each !== undefined);
    const known = rows.find((each) => each.seq === seq) ?? rows.find((each) => each.keptFor === sentFor);
    if (known || kept === null) return known;
    if (!row || row.kept === null) return row ?? blank(address, side);
    return old || side === "old" ? undefined : blank(address, "old");
  }

  /**
   * Another policy, or the first: a reconcile run begins, or follows the one that is under way: to begin that anew each
   * time would leave the last leases out while configurations come fast. It comes with the next steps of `reconcile`: a disk that takes
   * nothing must not keep a configuration from running.
   */
  begin(policy: NamePolicy | undefined): void {
    const isFirst = this.#policy === undefined;
    this.#policy = policy;
    // A takeover may have been cut short.
    if (policy) this.#run.begin(isFirst && this.#run.isOwed);
    else this.#run.stop();
  }

  /** The other server of a pair is gone: whether its names have come to DNS is for this one to see to. */
  takeOver(): void {
    this.#run.owe();
    if (this.#policy) this.#run.begin(true);
  }

  /**
   * A few more rows or leases: each gets what the policy wants now, where the policy wants it now; names of leases that
   * have ended go, and what waited for people is tried again. Answers whether there may be more.
   */
  reconcile(transaction: (work: () => void) => void): boolean {
    return this.#run.step(transaction);
  }

  #reconcileRow(text: string, confirms: boolean): void {
    this.#look(addressOf(text));
    for (const side of ["forward", "reverse", "old"] as const) {
      const row = this.#rows.find(text, side);
      if (!row || isResting(row)) continue;
      // Of what the other server was to bring, the way back follows the name.
      const isDue = confirms && row.wanted !== null && (side === "forward" || row.peerOwner === null);
      // As if tried already: new names do not wait behind those of a whole server, nor behind all that were in vain.
      const tries = isDue || row.state === "conflict" || row.state === "refused" ? 1 : Math.min(row.tries, 1);
      this.#plan({ ...row, error: null, tries, ...(isDue ? { keptAt: null } : {}) });
    }
  }

  /** What is wanted for an address by what is on disk of it. */
  #look(address: number | bigint): void {
    if (typeof address === "number") this.#followFound(this.#findLease(address));
    else this.#followFound6(this.#findLease6(address));
  }

  #findLease(ip: number): LeaseRecord | number {
    const found = this.#lease.get(ip) as unknown as LeaseRow | undefined;
    return found ? leaseOf(found) : ip;
  }

  #findLease6(address: bigint): Lease6Record | bigint {
    const found = this.#lease6.get(ipv6Bytes(address)) as unknown as Lease6Row | undefined;
    return found ? lease6Of(found) : address;
  }

  /** Of a lease on disk: one that has ended, or is gone, may keep its name. */
  #followFound(found: LeaseRecord | number): void {
    if (typeof found === "number") this.#followEnded(found);
    else if (found.state === STATE.bound) this.#followLease(found, found.starts);
    else this.#followEnded(found.ip, () => this.#nameOf(found));
  }

  #followFound6(found: Lease6Record | bigint): void {
    if (typeof found === "bigint") this.#followEnded(found);
    else if (found.state === STATE.bound) this.#followLease6(found, found.starts);
    else this.#followEnded(found.address, () => this.#nameOf6(found));
  }

  /**
   * A name that stays without a lease is the one that the address has by now; it remains that client's. What the client
   * said of itself is what the lease that has ended tells; if that is gone, what the name was made of.
   */
  #followEnded(address: number | bigint, nameOfEnded?: () => NameIntent | undefined): void {
    const policy = this.#policy;
    if (!policy) return;
    const text = typeof address === "number" ? formatIpv4(address) : formatIpv6(address);
    if (!policy.keeps(address)) {
      this.#follow(text, undefined, 0);
      return;
    }
    const row = this.#rows.find(text, "forward");
    if (!row?.wanted || row.said === null || !row.owner || !row.holder) return;
    const { said, owner, holder, device, since } = row;
    const named = nameOfEnded ? nameOfEnded() : policy.keptName(address, said, this.#overrideOf(device));
    if (named) this.#want(text, { name: named.name, said: named.said, owner, holder, device }, since);
    else this.#follow(text, undefined, 0);
  }

  /**
   * `since`: when its client came to it. A lease that changes brings it there anew; one that is only looked at does not,
   * however lately it was renewed: the name would go from one of a client's leases to the other.
   */
  #followLease(lease: LeaseRecord, since = lease.seen): void {
    this.#follow(formatIpv4(lease.ip), this.#intentOf(lease), since);
  }

  #followLease6(lease: Lease6Record, since = lease.seen): void {
    this.#follow(formatIpv6(lease.address), this.#intentOf6(lease), since);
  }

  #intentOf(lease: LeaseRecord): NameIntent | undefined {
    return lease.state === STATE.bound ? this.#nameOf(lease) : undefined;
  }

  /** A prefix has no name. */
  #intentOf6(lease: Lease6Record): NameIntent | undefined {
    return lease.state === STATE.bound && !isPrefix(lease) ? this.#nameOf6(lease) : undefined;
  }

  #nameOf(lease: LeaseRecord): NameIntent | undefined {
    return this.#policy?.nameOf(lease, this.#overrideOf(lease.mac));
  }

  #nameOf6(lease: Lease6Record): NameIntent | undefined {
    const device = this.#policy?.deviceOf6(lease) ?? null;
    return this.#policy?.nameOf6(lease, this.#overrideOf(device));
  }

  #overrideOf(mac: Uint8Array | null): string | null {
    return (this.#override.get(mac) as unknown as [string | null] | undefined)?.[0] ?? null;
  }

  #follow(address: string, intent: NameIntent | undefined, since: number): void {
    const known = this.#rows.find(address, "forward");
    if (!intent || this.#hasMoved(address, intent, since)) this.#unwant(address);
    else this.#want(address, intent, since);
    if (!intent) this.#rows.stay(address);
    for (const left of this.#leftWith(known, intent)) this.#look(left);
  }

  /** Whether the client has another address by now; if this one is newer, the other loses the name. */
  #hasMoved(address: string, { holder }: NameIntent, since: number): boolean {
    for (const other of this.#rows.ofHolder(holder, address)) {
      if (other.since > since) {
        this.#rows.leave(address, holder);
        return true;
      }
      this.#unwant(other.address);
      this.#rows.leave(other.address, holder);
    }
    this.#rows.stay(address);
    return false;
  }

  /** Where else a client may still have a lease whose address has its name no longer, and gets no other. */
  #leftWith(known: OutboxRow | undefined, intent: NameIntent | undefined): Array<number | bigint> {
    const holder = known?.holder ?? null;
    if (holder === null || (intent && isSame(holder, intent.holder))) return [];
    return this.#rows.leftBy(holder).map(addressOf);
  }

  #want(address: string, intent: NameIntent, since: number): void {
    const { name, said, holder, device } = intent;
    const row = this.#rows.find(address, "forward");
    if (row && isWanted(row, intent)) return;
    const owner = this.#joinedOwner(address, device) ?? intent.owner;
    const wanted = { wanted: name, said, owner, holder, device, since, seq: ++this.#lastSeq };
    this.#plan({ ...(row ?? blank(address, "forward")), ...wanted, error: null, tries: 0 });
    if (row) this.#passOn(row);
  }

  /** A device with an identity in each family is one owner: as whom its other family came first. */
  #joinedOwner(address: string, device: Uint8Array | null): Uint8Array | null {
    return device && this.#rows.ownerInFamily(device, isIPv4(address) ? 6 : 4);
  }

  #unwant(address: string): void {
    const row = this.#rows.find(address, "forward");
    if (!row || row.wanted === null) return;
    // The other server of a pair may have removed it before this one: it is sent again if it is wanted again. Of a name that it
    // brought, the device stays known: it may be there by another identity.
    const nobody = { ...NOBODY, device: row.peerOwner && row.device };
    this.#plan({ ...row, ...nobody, keptAt: null, seq: ++this.#lastSeq, error: null, tries: 0 });
    this.#passOn(row);
  }

  /** Writes a row with what it needs next. */
  #plan(row: OutboxRow): void {
    const plan = this.#policy?.plan(row);
    if (plan?.kind === "lost") this.#plan({ ...row, ...NOTHING_KEPT });
    else if (plan?.kind === "nothing") this.#drop(row);
    else if (plan?.kind === "kept") this.#save({ ...row, state: "kept", server: null, zone: null });
    else if (plan?.kind === "remove" && this.#isElsewhere(row, plan.zone)) this.#leaveZone(row);
    else if (plan?.kind === "no_zone") {
      const error = row.side === "reverse" ? NO_REVERSE_ZONE : NO_ZONE;
      this.#save({ ...row, state: "no_zone", error, server: null, zone: null });
    } else if (plan) this.#save({ ...row, state: "pending", server: plan.server, zone: plan.zone });
    // Without a policy nothing is sent; the next one looks at every row.
    else this.#save(row);
  }

  /** Whether the name that is wanted is in another zone than the one that is kept, which then waits for nothing here. */
  #isElsewhere(row: OutboxRow, zone: string): boolean {
    const plan = row.side === "forward" ? this.#policy?.plan({ ...row, ...NOTHING_KEPT }) : undefined;
    return plan?.kind === "add" && plan.zone !== zone && !this.#rows.find(row.address, "old");
  }

  #leaveZone(row: OutboxRow): void {
    const { address } = row;
    const { seq } = this.#rows.find(address, "forward") ?? row;
    this.#plan({ ...blank(address, "old"), ...keptOf(row), seq });
    this.#plan({ ...row, ...NOTHING_KEPT, seq: ++this.#lastSeq });
  }

  #save(row: OutboxRow): void {
    this.#rows.save(row);
    if (row.side === "forward") this.#point(row);
  }

  /** The forward row stays until the way back is gone too: it tells that the name is leaving. */
  #drop(row: OutboxRow): void {
    if (row.side === "old") this.#rows.remove(row);
    else if (row.side === "reverse") {
      this.#rows.remove(row);
      const forward = this.#rows.find(row.address, "forward");
      if (forward?.wanted === null && forward.kept === null) this.#rows.remove(forward);
    } else {
      this.#save({ ...row, state: "kept", server: null, zone: null });
      const reverse = this.#rows.find(row.address, "reverse");
      if (reverse && isResting(reverse)) this.#rows.remove(reverse);
      if (!reverse || isResting(reverse)) this.#rows.remove(row);
    }
  }

  /** The way back leads to the name that is kept; while that is on its way, it stays as it is. */
  #point({ address, wanted, kept, state, peerOwner }: OutboxRow): void {
    const isGone = wanted === null || kept === null;
    if (!isGone && state !== "kept") return;
    const name = isGone ? null : kept;
    const row = this.#rows.find(address, "reverse");
    // Of what the other server was to bring nothing is known; adding replaces it.
    const isTaken = name !== null && peerOwner === null && row !== undefined && row.peerOwner !== null;
    if ((row?.wanted ?? null) === name && !isTaken) return;
    const before = { ...(row ?? blank(address, "reverse")), ...(isTaken ? NOTHING_KEPT : {}) };
    this.#plan({ ...before, wanted: name, seq: ++this.#lastSeq, error: null, tries: 0 });
  }

  /**
   * A name has left DNS: who has waited longest for it tries again, and nobody else; when that one leaves, the next. As if
   * tried already: new names do not wait behind it.
   */
  #offer(name: string): void {
    for (const row of this.#rows.firstInConflict(name)) this.#plan({ ...row, error: null, tries: 1 });
  }

  /** A row is no longer what it was: a name that it was to try, and did not, is for the next who waits. */
  #passOn({ wanted, kept, state }: OutboxRow): void {
    if (state === "pending" && wanted !== null && kept === null) this.#offer(wanted);
  }
}

const NOBODY = { wanted: null, owner: null, holder: null, device: null, since: 0 };

const keptOf = ({ kept, keptFor, keptDhcid, keptAt, peerOwner }: KeptName): KeptName => ({
  kept,
  keptFor,
  keptDhcid,
  keptAt,
  peerOwner,
});

/** A way back that is removed if the name is found that leads to it. */
const isResting = ({ side, wanted, kept, state }: OutboxRow) =>
  side === "reverse" && wanted === null && kept !== null && state === "kept";

const isWanted = (row: OutboxRow, { name, holder, device }: NameIntent) =>
  row.wanted === name && isSame(row.holder, holder) && isSame(row.device, device);

/** Whether an intent may be of the client of a lease that has ended; after a quarantine, that is not known any more. */
const isOf = (intent: NameIntent | undefined, ended: NameIntent | undefined, client: Uint8Array) =>
  !intent || client.length === 0 || isSame(ended?.owner, intent.owner);

const addressOf = (text: string) => (isIPv4(text) ? parseIpv4(text) : parseIpv6(text)) as number | bigint;

const NO_ZONE = "no zone of the configuration has the name";
const NO_REVERSE_ZONE = "no reverse zone has the address";
