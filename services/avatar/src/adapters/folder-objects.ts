import { randomUUID } from "node:crypto";
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CONTENT_ADDRESS, type Objects, storeAway } from "../domain/objects.ts";

/** Objects as files: `ab/abcdef…`, so that no folder grows too wide. */
export function folderObjects(folder: string): Objects {
  const shelf = (address: string) => {
    if (!CONTENT_ADDRESS.test(address)) throw new TypeError("not a content address");
    return join(folder, address.slice(0, 2));
  };
  const drafts = join(folder, "drafts");
  /** Shelves whose own names are on disk. */
  const settled = new Set<string>();
  const write = async (address: string, bytes: Uint8Array) => {
    const directory = shelf(address);
    const temporary = join(drafts, randomUUID());
    if (!settled.has(directory)) {
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await syncFolder(folder);
      settled.add(directory);
    }
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, join(directory, address));
    } catch (error) {
      // On a disk that is full it would take the room of what comes after it.
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await syncFolder(directory);
  };
  return {
    get: async (address) => {
      try {
        return await readFile(join(shelf(address), address));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw awayIfRefused(error);
      }
    },
    put: async (address, bytes) => {
      try {
        await write(address, bytes);
      } catch (error) {
        if (!isMissing(error)) throw awayIfRefused(error);
        // The folder was replaced (a backup was put back, say): its shelves are made again.
        settled.clear();
        await write(address, bytes).catch((again) => {
          throw awayIfRefused(again);
        });
      }
    },
    delete: async (address) => rm(join(shelf(address), address), { force: true }),
    removeLeftovers: async (before) => {
      await mkdir(drafts, { recursive: true, mode: 0o700 });
      for (const name of await readdir(drafts)) {
        const draft = join(drafts, name);
        // One that is gone meanwhile was finished.
        const modified = await stat(draft)
          .then(({ mtimeMs }) => mtimeMs)
          .catch(() => undefined);
        if (modified !== undefined && modified < before) await rm(draft, { force: true });
      }
    },
    ping: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK);
    },
  };
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** A full disk, one that fails, a folder that is closed to us: nothing of it is the caller's fault. */
const awayIfRefused = (error: unknown): unknown =>
  (error as NodeJS.ErrnoException).syscall === undefined ? error : storeAway(error);

/** A new name in a folder is safe only when the folder itself is on disk. Windows has no such call, and refuses it. */
export async function syncFolder(folder: string, platform = process.platform): Promise<void> {
  if (platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
