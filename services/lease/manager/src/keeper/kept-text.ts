import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { removeKept, syncFolder, writeWhole } from "@frontdesk/kit/kept-file";

/** On disk when it returns. */
export function writeText(path: string, text: string, mode: number): void {
  makeFolder(dirname(path));
  writeWhole(path, text, mode);
  chmodSync(path, mode);
  syncFolder(dirname(path));
}

export function makeFolder(path: string, mode?: number): void {
  const made = mkdirSync(path, { recursive: true, mode });
  if (made !== undefined) syncFolder(dirname(made));
}

/** Its folder may never have been made. */
export function removeText(path: string): void {
  if (existsSync(dirname(path))) removeKept(path);
}
