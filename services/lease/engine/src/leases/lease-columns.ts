const FIRST_CAPACITY = 1024;

/** What is known of each slot, a typed array for each kind of thing. */
export class LeaseColumns {
  capacity = FIRST_CAPACITY;
  starts = new Uint32Array(FIRST_CAPACITY);
  until = new Uint32Array(FIRST_CAPACITY);
  state = new Uint8Array(FIRST_CAPACITY);
  /** Of prefixes and addresses of IPv6; 0 where there is none. */
  length = new Uint8Array(FIRST_CAPACITY);
  network = new Uint16Array(FIRST_CAPACITY);
  pool = new Uint16Array(FIRST_CAPACITY);
  /** Where a free one is in its pool's heap. */
  place = new Uint32Array(FIRST_CAPACITY);
  port = new Uint32Array(FIRST_CAPACITY);
  told = new Uint32Array(FIRST_CAPACITY);
  digest = new Uint32Array(FIRST_CAPACITY);
  relayDigest = new Uint32Array(FIRST_CAPACITY);

  /** Makes room for twice as many. */
  grow(): void {
    this.capacity *= 2;
    const wider = <T extends Uint8Array | Uint16Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.starts = wider(this.starts, new Uint32Array(this.capacity));
    this.until = wider(this.until, new Uint32Array(this.capacity));
    this.state = wider(this.state, new Uint8Array(this.capacity));
    this.length = wider(this.length, new Uint8Array(this.capacity));
    this.network = wider(this.network, new Uint16Array(this.capacity));
    this.pool = wider(this.pool, new Uint16Array(this.capacity));
    this.place = wider(this.place, new Uint32Array(this.capacity));
    this.port = wider(this.port, new Uint32Array(this.capacity));
    this.told = wider(this.told, new Uint32Array(this.capacity));
    this.digest = wider(this.digest, new Uint32Array(this.capacity));
    this.relayDigest = wider(this.relayDigest, new Uint32Array(this.capacity));
  }
}
