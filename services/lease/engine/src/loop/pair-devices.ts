import { MAX_DEVICES, type Message, type SentDevice } from "../ha/messages.ts";
import type { Address } from "../leases/binding.ts";
import type { DeviceNote } from "../leases/lease-record.ts";
import type { Batch } from "./batch.ts";

/** What the store knows of devices. */
export interface Devices {
  notesAfter(mac: Uint8Array, limit: number): readonly DeviceNote[];
  note(mac: Uint8Array): DeviceNote | undefined;
  /** The names of devices are the peer's to bring to DNS; in one transaction. */
  adoptNames(devices: readonly AdoptedDevice[]): void;
}

export interface AdoptedDevice {
  readonly mac: Uint8Array;
  /** An address that it has, beside those that are known here. */
  readonly address: Address | null;
}

type DevicesMessage = Extract<Message, { type: "devices" }>;

/**
 * What people say of devices, in both nodes of a pair. Nothing is acknowledged: each sends all that it has when a link is
 * made, a little with each batch, and of two versions the later counts.
 */
export class PairDevices {
  readonly #store: Devices;
  /** The link that the next ones are sent on, and after which hardware address. */
  #sending: { readonly link: number; readonly after: Uint8Array | null } | undefined;

  /** What the batch in hand has received. */
  #adopted: { readonly batch: Batch; readonly devices: AdoptedDevice[] } | undefined;

  constructor(store: Devices) {
    this.#store = store;
  }

  /** The next ones for a link that is open; undefined when it has all. */
  next(link: number): DevicesMessage | undefined {
    if (this.#sending?.link !== link) this.#sending = { link, after: new Uint8Array(0) };
    const { after } = this.#sending;
    if (after === null) return undefined;
    const notes = this.#store.notesAfter(after, MAX_DEVICES);
    this.#sending = { link, after: notes.length < MAX_DEVICES ? null : (notes.at(-1)?.mac ?? null) };
    return notes.length > 0 ? messageOf(notes, null) : undefined;
  }

  receive(batch: Batch, { devices }: DevicesMessage): void {
    for (const { address, ...note } of devices) {
      const known = this.#store.note(note.mac);
      if (known && known.changed >= note.changed) continue;
      batch.note(note);
      this.#adopt(batch, { mac: note.mac, address });
    }
  }

  #adopt(batch: Batch, device: AdoptedDevice): void {
    if (this.#adopted?.batch !== batch) {
      const devices: AdoptedDevice[] = [];
      this.#adopted = { batch, devices };
      batch.after(() => this.#store.adoptNames(devices));
    }
    this.#adopted.devices.push(device);
  }
}

export function messageOf(notes: readonly DeviceNote[], address: Address | null): DevicesMessage {
  const devices = notes.map(
    ({ mac, note, dnsName, changed }): SentDevice => ({ mac, note, dnsName, changed, address }),
  );
  return { type: "devices", devices };
}
