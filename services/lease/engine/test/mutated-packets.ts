/** A small generator with a seed, so that a failure can be had again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** Real packets with bits flipped, octets changed, pieces cut, repeated and put elsewhere. */
export function* mutatedPackets(
  seeds: readonly Uint8Array[],
  count: number,
  seed: number,
): Generator<Uint8Array> {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let n = 0; n < count; n++) {
    let bytes = Uint8Array.from(seeds[below(seeds.length)] as Uint8Array);
    for (let changes = 1 + below(8); changes > 0; changes--) {
      const at = below(bytes.length);
      const kind = below(6);
      if (bytes.length === 0) break;
      if (kind === 0) bytes[at] = (bytes[at] as number) ^ (1 << below(8));
      else if (kind === 1) bytes[at] = below(256);
      else if (kind === 2) bytes = bytes.slice(0, at);
      else if (kind === 3) bytes.copyWithin(at, below(bytes.length), below(bytes.length));
      else if (kind === 4) bytes = Uint8Array.from([...bytes, ...bytes.subarray(at)]).slice(0, 1500);
      else if (bytes.length > 245)
        bytes[240 + below(bytes.length - 240)] = [0, 255, 52, 82, 53, 254][below(6)] as number;
    }
    yield bytes;
  }
}
