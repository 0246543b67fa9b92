import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import type { AvatarStyle } from "./avatar-style.ts";
import type { Design } from "./design.ts";
import type { Picture } from "./picture.ts";
import type { ReadRequest } from "./read-request.ts";
import { type AvatarRow, type SavedImage, storedSizeFor } from "./saved-avatar.ts";

/** What is saved for a hash. */
export interface AvatarRows {
  find(hash: IdentityHash): Promise<AvatarRow | undefined>;
}

/** Saved pictures by content address. */
export interface SavedPictures {
  /** Undefined when the object is gone: a newer save has replaced it since the row was read. */
  get(object: string, type: SavedImage["type"]): Promise<Picture | undefined>;
}

/** What is drawn when nothing is saved. The same face always comes out as the same bytes. */
export interface Faces {
  draw(face: Face): Promise<Picture>;
}

export type Face =
  | {
      readonly kind: "style";
      readonly style: AvatarStyle;
      readonly hash: IdentityHash;
      readonly size: number;
      readonly format: "png" | "svg";
    }
  | {
      readonly kind: "design";
      readonly design: Design;
      readonly size: number;
      readonly format: "png" | "svg";
    }
  | { readonly kind: "blank"; readonly size: number; readonly format: "png" | "svg" };

export type ReadAnswer =
  | {
      readonly kind: "picture";
      readonly picture: Picture;
      /** Under the version that was asked for, it will never be another. */
      readonly lasting: boolean;
    }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "nothing" };

interface Found {
  readonly version: number;
  /** Missing where nothing is saved. */
  readonly picture?: Picture;
  /** Something is saved, and the store of objects does not have it: it may again, under the same version. */
  readonly isLost?: boolean;
}

/** A version that the hash has not had yet: one day it will show something else under that number. */
const isToCome = (asked: string, version: number): boolean =>
  /^\d{1,15}$/.test(asked) && Number(asked) > version;

export interface AvatarMetadata {
  readonly hash: IdentityHash;
  readonly has_avatar: boolean;
  readonly kind: "designed" | "uploaded" | null;
  readonly version: number;
  readonly updated_at: string | null;
}

/** The public half of the service: anyone may ask, and nothing of the account behind a hash shows. */
export function createReads(ports: { rows: AvatarRows; saved: SavedPictures; faces: Faces }) {
  async function savedPicture(hash: IdentityHash, size: number): Promise<Found> {
    const row = await ports.rows.find(hash);
    const version = row?.version ?? 0;
    if (!row?.saved) return { version };
    const { image } = row.saved;
    const object = image.type === "image/gif" ? image.object : image.objects[storedSizeFor(size)];
    const picture = await ports.saved.get(object, image.type);
    if (picture) return { version, picture };
    const newer = await ports.rows.find(hash);
    return newer?.version === version ? { version, isLost: true } : savedPicture(hash, size);
  }

  return {
    async read(hash: IdentityHash, request: ReadRequest): Promise<ReadAnswer> {
      const { fallback, size, format, forced, version: asked } = request;
      const saved = forced ? undefined : await savedPicture(hash, size);
      const lasting = asked !== undefined && !(saved && (saved.isLost || isToCome(asked, saved.version)));
      if (saved?.picture) return { kind: "picture", picture: saved.picture, lasting };

      switch (fallback.kind) {
        case "nothing":
          return { kind: "nothing" };
        case "redirect":
          return { kind: "redirect", to: fallback.to };
        case "blank":
          return {
            kind: "picture",
            picture: await ports.faces.draw({ kind: "blank", size, format }),
            lasting,
          };
        case "style": {
          const face: Face = { kind: "style", style: fallback.style, hash, size, format };
          return { kind: "picture", picture: await ports.faces.draw(face), lasting };
        }
      }
    },

    async metadata(hash: IdentityHash): Promise<AvatarMetadata> {
      const row = await ports.rows.find(hash);
      return {
        hash,
        has_avatar: Boolean(row?.saved),
        kind: row?.saved?.kind ?? null,
        version: row?.version ?? 0,
        updated_at: row?.saved?.updatedAt.toISOString() ?? null,
      };
    },
  };
}

export type Reads = ReturnType<typeof createReads>;
