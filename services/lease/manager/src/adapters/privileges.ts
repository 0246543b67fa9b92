import { chownSync, statSync } from "node:fs";
import type { Log } from "@frontdesk/kit/log";

/** Where root started this: becomes the user whose folder it is, for good. The engine keeps what it needs by itself. */
export function becomeOwnerOf(folder: string, files: readonly string[], log: Log): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) {
    log.warn(
      { folder },
      "running as root: give the state folder to another user, and lease runs as that user",
    );
    return;
  }
  for (const file of files) chownSync(file, uid, gid);
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
