/** The sizes that a saved still is kept in. */
export const STORED_SIZES = [16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512] as const;

export type StoredSize = (typeof STORED_SIZES)[number];

/** Where a saved avatar's bytes are: content addresses in the object store. */
export type SavedImage =
  | { readonly type: "image/png"; readonly objects: Readonly<Record<StoredSize, string>> }
  | { readonly type: "image/gif"; readonly object: string };

/** What is known of a hash that ever had an avatar. A removed one leaves its version behind. */
export interface AvatarRow {
  readonly version: number;
  readonly saved: null | {
    readonly kind: "designed" | "uploaded";
    readonly updatedAt: Date;
    readonly image: SavedImage;
  };
}

/** The nearest stored size that is not smaller than what was asked for. */
export function storedSizeFor(size: number): StoredSize {
  return STORED_SIZES.find((stored) => stored >= size) ?? 512;
}
