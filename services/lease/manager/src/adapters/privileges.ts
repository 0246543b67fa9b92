import { lchownSync } from "node:fs";
import { dirname } from "node:path";
import { folderOwner } from "@frontdesk/kit/folder-owner";
import type { Log } from "@frontdesk/kit/log";
import { actAs, type Identity } from "../keeper/act-as.ts";

export interface Owner {
  /** Undefined where this process is nobody but itself already. */
  readonly identity: Identity | undefined;
  /** Gives a file of ours to the owner; never what a link leads to. */
  own(path: string): void;
  /** Does something in the owner's folder with the owner's rights: a link that was planted there leads no further. */
  act<T>(work: () => T): T;
  /** Becomes the owner, for good. */
  become(): void;
}

/**
 * Whose service this is, by the folder that was there before. Where root started it, it runs as that user; what only
 * root may do is done before that, by the keeper and the engine, which gives up root by itself.
 */
export function ownerOf(folder: string, log: Log): Owner {
  const nobody: Owner = { identity: undefined, own: () => {}, act: (work) => work(), become: () => {} };
  if (process.getuid?.() !== 0) return nobody;
  const { uid, gid } = folderOwner(folder);
  if (uid === 0) {
    log.warn(
      { folder },
      "running as root: give the state folder to another user, and lease runs as that user",
    );
    return nobody;
  }
  return {
    identity: { uid, gid },
    own: (path) => lchownSync(path, uid, gid),
    act: (work) => actAs({ uid, gid }, work),
    become: () => {
      process.setgroups?.([gid]);
      process.setgid?.(gid);
      process.setuid?.(uid);
    },
  };
}

/** A folder and those above it that this start made, innermost first: the owner needs a way to it. */
export function madeFolders(folder: string, existing: string): string[] {
  const above = dirname(folder);
  return folder === existing || above === existing || above === folder
    ? [folder]
    : [folder, ...madeFolders(above, existing)];
}
