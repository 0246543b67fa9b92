import type { Pool6 } from "@frontdesk/lease-config/config6";
import { AddressMap6 } from "@frontdesk/lease-options/address-map";
import { type Binding, isFree, STATE } from "../leases/binding.ts";
import type { LeaseTable } from "../leases/lease-table.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import type { Batch } from "../loop/batch.ts";
import type { Batch6 } from "../loop/batch6.ts";
import type { LeaseStore6 } from "../loop/lease-store.ts";
import { ALL, type PairedFamily, type PairedStore, type ReceivedLease } from "../loop/paired-family.ts";
import { bindingOf6 } from "./bindings.ts";
import type { Recorder6 } from "./record.ts";

const NOTHING = new Uint8Array(0);

/** The leases of DHCPv6 as a pair of servers needs them. */
export function pairedLeases6(
  leases: LeaseTable<bigint, Pool6>,
  recorder: Recorder6,
  part: (batch: Batch) => Batch6,
  store: LeaseStore6,
  paired: PairedStore<bigint, Lease6Record>,
  effects: { renew(lease: Lease6Record): void } & Pick<PairedFamily<bigint>, "meet">,
): PairedFamily<bigint> {
  /** Leases that were read as pages, by the batch that reads them. */
  const pages = new WeakMap<Batch, AddressMap6<Lease6Record>>();
  const pendingOf = (batch: Batch) => ({ batch, part: part(batch) });
  return {
    leases: leases as PairedFamily<bigint>["leases"],
    pending: (batch) => part(batch).leases as ReturnType<PairedFamily<bigint>["pending"]>,
    onDisk: (address) => {
      const lease = store.find6(address);
      return lease && bindingOf6(lease);
    },
    received: ({ address, state, end, details }): ReceivedLease<bigint> => {
      const record = { ...paired.decode(details), address, state, until: end };
      const binding = bindingOf6(record);
      return { binding: isFree(state) ? { ...binding, port: "" } : binding, record };
    },
    end: (batch, binding) => recorder.expire(pendingOf(batch), binding),
    tell: (batch, before, { binding, record }) => {
      const type = changeOf(before, binding);
      if (type) recorder.tellOfPeer(pendingOf(batch), record as Lease6Record, type, binding.until);
    },
    record: (address) => store.find6(address),
    // It is told lifetimes of zero at its next message, and asked for that one if it has a key.
    conflict: (batch, loser) => {
      const lease = loser as Lease6Record;
      recorder.tellOfPeer(pendingOf(batch), lease, "conflict", lease.until);
      batch.after(() => effects.renew(lease));
    },
    details: (address, batch, isAsRead) => {
      const read = isAsRead && !part(batch).hasWritten(address) ? pages.get(batch)?.get(address) : undefined;
      const lease = read ?? store.find6(address);
      return lease ? paired.encode(lease) : NOTHING;
    },
    addressesAfter: (address, limit, batch) => {
      const leases = paired.leasesAfter(address, limit);
      const read = pages.get(batch) ?? new AddressMap6<Lease6Record>();
      for (const lease of leases) read.set(lease.address, lease);
      pages.set(batch, read);
      return leases.map((lease) => lease.address);
    },
    pairs: () => paired.pairs(),
    cleared: (address) => {
      const lease = paired.cleared.find(address);
      return lease && bindingOf6(lease);
    },
    takeBack: (batch) => {
      const before = paired.cleared.first(ALL);
      const addresses = before.map(({ address }) => address);
      if (before.length > 0) batch.after(() => paired.cleared.forget(addresses, []));
      return before.map((lease) => {
        const { address, identity, state, until } = bindingOf6(lease);
        const client = paired.cleared.clientOf(address);
        return { address, identity, state, until, client, details: paired.encode(lease) };
      });
    },
    endCleared: (batch, limit) => {
      const before = paired.cleared.first(limit);
      const isBound = (state: number | undefined) => state === STATE.bound;
      const gone = before.filter(
        ({ address, state }) => isBound(state) && !isBound(leases.find(address)?.state),
      );
      for (const lease of gone) recorder.tellOfPeer(pendingOf(batch), lease, "expire", lease.until);
      const addresses = (of: readonly Lease6Record[]) => of.map(({ address }) => address);
      if (before.length > 0) batch.after(() => paired.cleared.forget(addresses(before), addresses(gone)));
    },
    meet: (peer) => effects.meet(peer),
  };
}

/** Who has an address now is in the history of both nodes; renewals are told by the node that gave them. */
function changeOf(
  before: Binding<bigint> | undefined,
  { state, identity }: Binding<bigint>,
): "grant" | "release" | "expire" | "decline" | undefined {
  if (before?.state === state && Buffer.compare(before.identity, identity) === 0) return undefined;
  if (state === STATE.bound) return "grant";
  if (state === STATE.declined) return "decline";
  if (before?.state !== STATE.bound) return undefined;
  return state === STATE.expired ? "expire" : "release";
}
