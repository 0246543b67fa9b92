/**
 * Events are found by address and by hardware address without an index in the hot path: SQLite's
 * own would dirty two pages more for nearly every grant (docs/decisions/0014-lease-history.md has
 * the figures). Instead, each time this many events have gathered, a small index of just those is
 * written in one go.
 */
export const CHUNK = 16_384;
const SLOTS = 64;
const ENTRY = 8;

export const KIND = { ip: 0, mac: 1 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** The key an event is filed under; different hardware addresses may share one. */
export function macHash(mac: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < mac.length; i++) hash = Math.imul(hash ^ (mac[i] as number), 0x01000193);
  return hash >>> 0;
}

/** The key of an address of IPv6; others may share it, of IPv4 too. */
export const address6Key = macHash;

export const slotOf = (key: number) => (Math.imul(key, 0x9e3779b1) >>> 0) % SLOTS;

/** Marks the place of an event that tells nothing of who holds the address: anybody can cause as many as they like. */
const TELLS_NO_HOLDER = 0x8000_0000;

/** Entries of one kind, by slot: pairs of key and place in the chunk. */
export function packChunk(
  keys: Uint32Array,
  tellsHolder: Uint8Array,
  count: number,
): Array<[slot: number, entries: Uint8Array]> {
  const sizes = new Uint32Array(SLOTS);
  for (let i = 0; i < count; i++) {
    const slot = slotOf(keys[i] as number);
    sizes[slot] = (sizes[slot] as number) + 1;
  }
  const slots = Array.from(sizes, (size) => new DataView(new ArrayBuffer(size * ENTRY)));
  const filled = new Uint32Array(SLOTS);
  for (let i = 0; i < count; i++) {
    const key = keys[i] as number;
    const slot = slotOf(key);
    const at = (filled[slot] as number) * ENTRY;
    slots[slot]?.setUint32(at, key);
    slots[slot]?.setUint32(at + 4, (tellsHolder[i] ? i : i | TELLS_NO_HOLDER) >>> 0);
    filled[slot] = (filled[slot] as number) + 1;
  }
  return slots.flatMap((view, slot) =>
    view.byteLength === 0 ? [] : [[slot, new Uint8Array(view.buffer)] as [number, Uint8Array]],
  );
}

/** Places in the chunk filed under a key, oldest first; with `holders`, only of events that tell who holds the address. */
export function findInSlot(entries: Uint8Array, key: number, holders = false): number[] {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  const found: number[] = [];
  for (let at = 0; at < entries.byteLength; at += ENTRY) {
    if (view.getUint32(at) !== key) continue;
    const place = view.getUint32(at + 4);
    if (!holders || place < TELLS_NO_HOLDER) found.push((place & ~TELLS_NO_HOLDER) >>> 0);
  }
  return found;
}
