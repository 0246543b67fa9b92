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

export const slotOf = (key: number) => (Math.imul(key, 0x9e3779b1) >>> 0) % SLOTS;

/** Entries of one kind, by slot: pairs of key and place in the chunk. */
export function packChunk(keys: Uint32Array, count: number): Array<[slot: number, entries: Uint8Array]> {
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
    slots[slot]?.setUint32(at + 4, i);
    filled[slot] = (filled[slot] as number) + 1;
  }
  return slots.flatMap((view, slot) =>
    view.byteLength === 0 ? [] : [[slot, new Uint8Array(view.buffer)] as [number, Uint8Array]],
  );
}

/** Places in the chunk filed under a key, oldest first. */
export function findInSlot(entries: Uint8Array, key: number): number[] {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  const found: number[] = [];
  for (let at = 0; at < entries.byteLength; at += ENTRY) {
    if (view.getUint32(at) === key) found.push(view.getUint32(at + 4));
  }
  return found;
}
