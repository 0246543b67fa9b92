import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";

/** Writes a file whole or not at all. */
export function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  // On disk before it has its name: after a power cut there is the old one, the new one, or none.
  writeFileSync(draft, content, { mode, flush: true });
  if ((mode & 0o077) === 0) keepFromOthers(draft);
  renameSync(draft, path);
}

/** Removes a file; when this returns, no power cut brings it back. */
export function removeKept(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

/** What was made, renamed or removed in a folder is so after a power cut, too. */
export function syncFolder(path: string): void {
  // Windows has no handle to a folder that could be synced.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** On Windows modes protect nothing: there the file's access list names its owner alone. */
function keepFromOthers(path: string): void {
  if (process.platform !== "win32") return;
  execFileSync("icacls", [path, "/inheritance:r", "/grant:r", `${userInfo().username}:F`], { stdio: "pipe" });
}

/** A shorter secret was never made by us: somebody emptied the file, or it was cut off. */
const MIN_SECRET_CHARACTERS = 16;

/** What a file holds; made on first use, or anew where the file is empty, readable by its owner alone. */
export function keptSecret(path: string, make: () => string): { value: string; isNew: boolean } {
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  if (kept.length >= MIN_SECRET_CHARACTERS) return { value: kept, isNew: false };
  const value = make();
  writeWhole(path, `${value}\n`, 0o600);
  return { value, isNew: true };
}
