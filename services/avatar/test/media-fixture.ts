import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { openStore } from "@frontdesk/store/open-store";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { avatarRows } from "../src/adapters/avatar-rows.ts";
import { folderObjects } from "../src/adapters/folder-objects.ts";
import { migrations } from "../src/adapters/migrations.ts";
import { savedPictures } from "../src/adapters/saved-pictures.ts";
import type { Tables } from "../src/adapters/tables.ts";
import type { Objects } from "../src/domain/objects.ts";
import { createPictureCache } from "../src/domain/picture-cache.ts";
import { createReads, type Face, type Faces } from "../src/domain/read-avatar.ts";
import { allowedHosts } from "../src/domain/redirect-target.ts";
import type { SavedImage } from "../src/domain/saved-avatar.ts";
import { STORED_SIZES } from "../src/domain/saved-avatar.ts";
import { createMediaServer } from "../src/http/media.ts";
import { attributions } from "../src/render/attribution.ts";
import { cachedFaces } from "../src/render/cached-faces.ts";
import { renderFace } from "../src/render/render-face.ts";
import { watchReplies } from "./openapi-check.ts";

export const hashOf = (email: string) => createHash("sha256").update(email).digest("hex");
export const ANNA = hashOf("anna@example.org");

/** Draws in this thread: the pool has tests of its own. */
export const directFaces: Faces = { draw: async (face: Face) => renderFace(face) };

export interface MediaFixture {
  readonly app: HttpServer;
  readonly objects: Objects;
  readonly logLines: string[];
  /** Puts a saved avatar behind a hash. */
  save(
    hash: string,
    save: { kind: "designed" | "uploaded"; version: number; image: SavedImage },
  ): Promise<void>;
  /** Leaves of a hash only the version it had. */
  remove(hash: string, version: number): Promise<void>;
}

/** The public surface on a fresh SQLite file and a fresh folder. */
export async function mediaFixture(
  t: TestContext,
  options: { faces?: Faces; redirectHosts?: string[]; databaseUrl?: URL; objects?: Objects } = {},
): Promise<MediaFixture> {
  const home = temporaryHome(t);
  const store = await openStore<Tables>({
    url: options.databaseUrl ?? pathToFileURL(join(home, "avatar.db")),
    migrations,
    clock: systemClock,
  });
  const objects = options.objects ?? folderObjects(join(home, "objects"));
  const cache = createPictureCache(16 * 1024 * 1024);
  const logLines: string[] = [];
  const log = createLog({
    service: "avatar",
    level: "trace",
    settings: {},
    to: { write: (line) => void logLines.push(line) },
  });
  const app = await createMediaServer({
    reads: createReads({
      rows: avatarRows(store),
      saved: savedPictures(objects, cache, log),
      faces: cachedFaces(options.faces ?? directFaces, cache),
    }),
    allowsHost: allowedHosts(options.redirectHosts ?? ["*"]),
    attributions,
    publicUrl: "http://faces.example",
    version: "1.0.0",
    health: () => store.ping(),
    log,
    ids: countingIds(),
  });
  t.after(async () => {
    await app.close();
    await store.close();
  });
  const put = (row: Tables["avatars"]) =>
    store.write((tx) =>
      tx
        .insertInto("avatars")
        .values(row)
        .onConflict((conflict) => conflict.column("hash").doUpdateSet(row))
        .execute(),
    );
  return {
    app: watchReplies(app),
    objects,
    logLines,
    save: async (hash, { kind, version, image }) => {
      await put({
        hash,
        version,
        kind,
        updated_at: Date.parse("2026-03-04T05:06:07Z"),
        image: JSON.stringify(image),
      });
    },
    remove: async (hash, version) => {
      await put({ hash, version, kind: null, updated_at: null, image: null });
    },
  };
}

/** Stores one object for each stored size, told apart by its bytes, and answers with the image that names them. */
export async function savedStill(
  objects: Objects,
  name: string,
): Promise<Exclude<SavedImage, { type: "image/gif" }>> {
  const entries = await Promise.all(
    STORED_SIZES.map(async (size) => {
      const bytes = Buffer.from(`${name} at ${size}`);
      const address = createHash("sha256").update(bytes).digest("hex");
      await objects.put(address, bytes, "image/png");
      return [size, address] as const;
    }),
  );
  return { type: "image/png", objects: Object.fromEntries(entries) as never };
}

/** Width and height from a PNG's header. */
export function pngSize(bytes: Buffer): [number, number] {
  if (bytes.toString("latin1", 1, 4) !== "PNG") throw new Error("not a PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
