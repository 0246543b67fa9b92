import type { Config, Pool } from "@frontdesk/lease-config/config";
import { type Binding, isFree, STATE } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { LeaseTable } from "../leases/lease-table.ts";
import type { Batch } from "../loop/batch.ts";
import type { LeaseStore } from "../loop/lease-store.ts";
import {
  ALL,
  type PairedFamily,
  type PairedStore,
  type ReceivedLease,
  type ReceivedRow,
} from "../loop/paired-family.ts";
import { bindingOf } from "./bindings.ts";
import type { Recorder } from "./record.ts";

const NOTHING = new Uint8Array(0);

/** The leases of DHCPv4 as a pair of servers needs them. */
export function pairedLeases(
  leases: LeaseTable<number, Pool>,
  recorder: Recorder,
  config: () => Config,
  store: LeaseStore,
  paired: PairedStore<number, LeaseRecord>,
  effects: { renew(lease: LeaseRecord): void } & Pick<PairedFamily<number>, "meet">,
): PairedFamily<number> {
  /** Leases that were read as pages, by the batch that reads them. */
  const pages = new WeakMap<Batch, Map<number, LeaseRecord>>();
  const bindingOn = (lease: LeaseRecord) => bindingOf(config(), lease);
  return {
    leases: leases as PairedFamily<number>["leases"],
    pending: (batch) => batch.leases as ReturnType<PairedFamily<number>["pending"]>,
    onDisk: (address) => {
      const lease = store.find(address);
      return lease && bindingOn(lease);
    },
    received: ({ address, state, end, details }: ReceivedRow<number>): ReceivedLease<number> => {
      const record = { ...paired.decode(details), ip: address, state, until: end };
      const binding = bindingOn(record);
      return { binding: isFree(state) ? { ...binding, port: "" } : binding, record };
    },
    end: (batch, binding) => recorder.expire(batch, binding),
    tell: (batch, before, { binding, record }) =>
      tell(batch, recorder, before, binding, record as LeaseRecord),
    record: (address) => store.find(address),
    conflict: (batch, loser) => {
      const lease = loser as LeaseRecord;
      recorder.tellOfPeer(batch, lease, "conflict", lease.ip, lease.until);
      batch.after(() => effects.renew(lease));
    },
    details: (address, batch, isAsRead) => {
      const read = isAsRead && !batch.hasWritten(address) ? pages.get(batch)?.get(address) : undefined;
      const lease = read ?? batch.written(address) ?? store.find(address);
      return lease ? paired.encode(lease) : NOTHING;
    },
    addressesAfter: (address, limit, batch) => {
      const leases = paired.leasesAfter(address, limit);
      const read = pages.get(batch) ?? new Map<number, LeaseRecord>();
      for (const lease of leases) read.set(lease.ip, lease);
      pages.set(batch, read);
      return leases.map(({ ip }) => ip);
    },
    pairs: () => paired.pairs(),
    cleared: (address) => {
      const lease = paired.cleared.find(address);
      return lease && bindingOn(lease);
    },
    takeBack: (batch) => {
      const before = paired.cleared.first(ALL);
      const addresses = before.map(({ ip }) => ip);
      if (before.length > 0) batch.after(() => paired.cleared.forget(addresses, []));
      return before.map((lease) => {
        const { address, identity, state, until } = bindingOn(lease);
        const client = paired.cleared.clientOf(address);
        return { address, identity, state, until, client, details: paired.encode(lease) };
      });
    },
    endCleared: (batch, limit) => {
      const before = paired.cleared.first(limit);
      const isBound = (state: number | undefined) => state === STATE.bound;
      const gone = before.filter(({ ip, state }) => isBound(state) && !isBound(leases.find(ip)?.state));
      for (const lease of gone) recorder.tellOfPeer(batch, lease, "expire", lease.ip, lease.until);
      const addresses = (of: readonly LeaseRecord[]) => of.map(({ ip }) => ip);
      if (before.length > 0) batch.after(() => paired.cleared.forget(addresses(before), addresses(gone)));
    },
    meet: (peer) => effects.meet(peer),
  };
}

/** Who has an address now is in the history of both nodes; renewals are told by the node that gave them. */
function tell(
  batch: Batch,
  recorder: Recorder,
  before: Binding<number> | undefined,
  { state, identity, until, address }: Binding<number>,
  record: LeaseRecord,
): void {
  const isSame = before?.state === state && Buffer.compare(before.identity, identity) === 0;
  if (isSame) return;
  const wasHeld = before?.state === STATE.bound;
  if (state === STATE.bound) recorder.tellOfPeer(batch, record, "grant", address, until);
  else if (state === STATE.declined) recorder.tellOfPeer(batch, record, "decline", address, until);
  else if (wasHeld) {
    recorder.tellOfPeer(batch, record, state === STATE.expired ? "expire" : "release", address, until);
  }
}
