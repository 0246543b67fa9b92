/** Bytes with their content address. */
export interface StoredBytes {
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Where the bytes of saved avatars stand, for exactly as long as somebody needs them. */
export interface Shelf {
  /** Puts bytes there for a save that is under way; answers with the name of its reservation. */
  keep(pictures: readonly StoredBytes[]): Promise<string>;
  /** Gives up what was kept for a save that came to nothing. */
  giveUp(reservation: string): Promise<void>;
  /** Takes away what nobody needs any more, by and by. */
  tidy(): void;
}
