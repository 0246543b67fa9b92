import { createHash } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { identityHash } from "@frontdesk/signin/email-address";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import type { Design } from "./design.ts";
import { parseDesign, type StyleCatalogue } from "./design.ts";
import { refuse } from "./errors.ts";
import { hashesOf, lockedOwner, nextVersion } from "./owner.ts";
import type { Picture } from "./picture.ts";
import type { Faces } from "./read-avatar.ts";
import type { Account, AccountAvatar, Ledger, Rows } from "./rows.ts";
import { type SavedImage, STORED_SIZES, type StoredSize } from "./saved-avatar.ts";
import type { Shelf, StoredBytes } from "./shelf.ts";

/** Makes of uploaded bytes what is kept of them, or refuses them. */
export interface UploadReader {
  read(bytes: Uint8Array): Promise<UploadedImage>;
}

export type UploadedImage =
  | { readonly type: "image/png"; readonly sizes: ReadonlyMap<StoredSize, Uint8Array> }
  | { readonly type: "image/gif"; readonly bytes: Uint8Array };

export interface Saved {
  readonly kind: AccountAvatar["kind"];
  readonly version: number;
  readonly hashes: readonly IdentityHash[];
}

/**
 * Saving and removing an account's avatar, for all its verified addresses at once. Each takes what the caller has `seen`: the
 * version of the avatar that there must be, null where there must be none; undefined: whatever is there goes.
 */
export function createAvatars(ports: {
  ledger: Ledger;
  shelf: Shelf;
  faces: Faces;
  uploads: UploadReader;
  catalogue: StyleCatalogue;
  clock: Clock;
}) {
  const { ledger, shelf, faces, clock } = ports;

  async function save(
    accountId: string,
    what: Pick<AccountAvatar, "kind" | "collection" | "config">,
    image: SavedImage,
    pictures: readonly StoredBytes[],
    seen?: string | null,
  ): Promise<Saved> {
    const reservation = await shelf.keep(pictures);
    try {
      return await ledger.change(async (rows) => {
        const { account, verified } = await lockedOwner(rows, accountId);
        demandSeen(account, seen);
        if (verified.length === 0) throw refuse("no_verified_email");
        const hashes = hashesOf(account, verified);
        const version = await nextVersion(rows, account, hashes);
        const now = clock.now();
        const avatar: AccountAvatar = { ...what, image, updatedAt: now };
        await rows.putAccount({ ...account, version, avatar });
        await rows.putHashAvatars(hashes.map((hash) => ({ hash, version, saved: avatar })));
        if (!(await rows.assignObjects(accountId, reservation, now))) throw refuse("overloaded", 1);
        return { kind: what.kind, version, hashes };
      });
    } catch (error) {
      await shelf.giveUp(reservation);
      throw error;
    } finally {
      shelf.tidy();
    }
  }

  return {
    /** A look at a design; nothing is saved. */
    preview: (design: Design): Promise<Picture> =>
      faces.draw({ kind: "design", design, size: 512, format: "svg" }),

    design: (account: Account, given: Parameters<typeof parseDesign>[1]): Design =>
      parseDesign(ports.catalogue, given, identityHash(account.primaryEmail)),

    async saveDesign(accountId: string, design: Design, seen?: string | null): Promise<Saved> {
      await mustHaveVerified(ledger.read, accountId);
      const drawn = await Promise.all(
        STORED_SIZES.map(async (size) => {
          const { bytes } = await faces.draw({ kind: "design", design, size, format: "png" });
          return [size, bytes] as const;
        }),
      );
      const { style, seed, options } = design;
      const { image, pictures } = still(new Map(drawn));
      return save(
        accountId,
        { kind: "designed", collection: style, config: { seed, options } },
        image,
        pictures,
        seen,
      );
    },

    async saveUpload(accountId: string, bytes: Uint8Array, seen?: string | null): Promise<Saved> {
      await mustHaveVerified(ledger.read, accountId);
      const read = await ports.uploads.read(bytes);
      const { image, pictures } = read.type === "image/gif" ? whole(read.bytes) : still(read.sizes);
      return save(accountId, { kind: "uploaded", collection: null, config: null }, image, pictures, seen);
    },

    async remove(
      accountId: string,
      seen?: string | null,
    ): Promise<{ deleted: boolean; hashes: readonly IdentityHash[] }> {
      const removed = await ledger.change(async (rows) => {
        const { account, verified } = await lockedOwner(rows, accountId);
        const hashes = hashesOf(account, verified);
        demandSeen(account, seen);
        if (!account.avatar) return { deleted: false, hashes };
        await rows.putAccount({ ...account, avatar: null });
        await rows.clearHashAvatars(hashes);
        await rows.assignObjects(accountId, null, clock.now());
        return { deleted: true, hashes };
      });
      shelf.tidy();
      return removed;
    },
  };
}

export type Avatars = ReturnType<typeof createAvatars>;

function demandSeen({ avatar, version }: Account, seen: string | null | undefined): void {
  if (seen !== undefined && seen !== (avatar ? `${version}` : null)) throw refuse("avatar_changed");
}

/** Before the work of drawing: an account without a verified address need not wait for the refusal. */
async function mustHaveVerified(rows: Rows, accountId: string): Promise<void> {
  const claims = await rows.claims(accountId);
  if (!claims.some(({ verifiedAt }) => verifiedAt !== null)) throw refuse("no_verified_email");
}

function still(sizes: ReadonlyMap<StoredSize, Uint8Array>) {
  const entries = [...sizes].map(([size, bytes]) => [size, stored(bytes, "image/png")] as const);
  const objects = Object.fromEntries(entries.map(([size, { address }]) => [size, address]));
  const image = { type: "image/png", objects: objects as Record<StoredSize, string> } as const;
  return { image, pictures: entries.map(([, picture]) => picture) };
}

function whole(bytes: Uint8Array) {
  const picture = stored(bytes, "image/gif");
  return { image: { type: "image/gif", object: picture.address } as const, pictures: [picture] };
}

function stored(bytes: Uint8Array, type: string): StoredBytes {
  return { address: createHash("sha256").update(bytes).digest("hex"), bytes, type };
}
