import { lstatSync } from "node:fs";

const GONE = new Set(["ENOENT", "ENOTDIR"]);

/** What is at a path, by its number; undefined where nothing is. What cannot be looked at is taken to be as it was. */
export function inodeAt(path: string, before: number | undefined): number | undefined {
  try {
    return lstatSync(path).ino;
  } catch (error) {
    return GONE.has((error as NodeJS.ErrnoException).code ?? "") ? undefined : before;
  }
}
