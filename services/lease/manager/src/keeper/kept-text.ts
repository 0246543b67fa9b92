import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeKept, syncFolder } from "@frontdesk/kit/kept-file";

/** What a file shall say; null: it shall not be there. */
export interface KeptText {
  readonly path: string;
  readonly text: string | null;
}

/**
 * Writes texts beside their places, and answers what puts them there, each whole or not at all: a full disk is met
 * before anything changes. What is as it shall be is left alone.
 */
export function preparedTexts(texts: readonly KeptText[], mode: number): () => void {
  const changed = texts.filter(({ path, text }) => textOf(path) !== text);
  for (const { path, text } of changed) if (text !== null) writeDraft(path, text, mode);
  return () => {
    for (const { path, text } of changed) {
      if (text === null) removeText(path);
      else renameSync(draftOf(path), path);
      if (existsSync(dirname(path))) syncFolder(dirname(path));
    }
  };
}

export function ensureFolder(path: string, mode?: number): void {
  const made = mkdirSync(path, { recursive: true, mode });
  if (made !== undefined) syncFolder(dirname(made));
}

/** Its folder may never have been made. */
export function removeText(path: string): void {
  if (existsSync(dirname(path))) removeKept(path);
}

/** Null where there is none, or none that can be read. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Hidden, and the same for all: tools read every file of some folders, one that a killed keeper left there, too. */
const draftOf = (path: string) => join(dirname(path), `.${basename(path)}.new`);

function writeDraft(path: string, text: string, mode: number): void {
  ensureFolder(dirname(path));
  const draft = draftOf(path);
  rmSync(draft, { force: true });
  try {
    // On disk before it has its name: after a power cut there is the old one, the new one, or none. Anew, or not at all:
    // root writes through no link that somebody has put there meanwhile.
    writeFileSync(draft, text, { mode, flush: true, flag: "wx" });
    // Whose what it replaces is: a group that may read that may read this, too.
    const { uid, gid } = statSync(existsSync(path) ? path : draft);
    chownSync(draft, uid, gid);
    chmodSync(draft, mode);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
