export type PictureType = "image/png" | "image/svg+xml" | "image/gif";

/** An image ready to be sent. */
export interface Picture {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
  /** Changes exactly when the bytes do; with its quotes, as the header wants it. */
  readonly etag: string;
}

export const MIN_SIZE = 16;
export const MAX_SIZE = 512;
export const DEFAULT_SIZE = 80;
