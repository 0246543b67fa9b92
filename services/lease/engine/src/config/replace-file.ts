import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "@frontdesk/kit/kept-file";

/** On disk whole or not at all: a new file beside it takes its place. It keeps the mode of the one before. */
export function replaceFile(path: string, text: string, mode: number): void {
  const beside = join(dirname(path), `.${process.pid}.new`);
  const kept = statSync(path, { throwIfNoEntry: false })?.mode ?? mode;
  // Never through a link that someone has put there.
  rmSync(beside, { force: true });
  const fd = openSync(beside, "wx", mode);
  try {
    // Writes on until all is written, or throws: a full disk takes the beginning of a text without complaint.
    writeFileSync(fd, text);
    fchmodSync(fd, kept & 0o777);
    fsyncSync(fd);
  } catch (error) {
    // On a disk that is full, what it took is needed for leases.
    rmSync(beside, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(beside, path);
  syncFolder(dirname(path));
}
