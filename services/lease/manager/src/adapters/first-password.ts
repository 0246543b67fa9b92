import { existsSync } from "node:fs";
import { join } from "node:path";
import { removeKept, syncFolder, writeWhole } from "@frontdesk/kit/kept-file";
import { regularFileText } from "@frontdesk/kit/regular-file";
import type { FirstPassword } from "../domain/first-admin.ts";

/** A file that only its owner can read. */
export function createFirstPassword(home: string): FirstPassword {
  const path = join(home, "first-password");
  return {
    read: () => regularFileText(path)?.trim(),
    keep: (password) => {
      writeWhole(path, `${password}\n`, 0o600);
      syncFolder(home);
    },
    remove: () => {
      if (existsSync(path)) removeKept(path);
    },
  };
}
