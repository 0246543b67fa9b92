import { join } from "node:path";
import { removeKept, syncFolder, writeWhole } from "@frontdesk/kit/kept-file";
import { regularFileText } from "@frontdesk/kit/regular-file";
import type { ResetMark } from "../domain/factory-reset.ts";

/** A file that names who asked for the factory reset that is under way. What it says is on disk, also after a power cut. */
export function createResetMark(home: string): ResetMark {
  const path = join(home, "factory-reset");
  return {
    path,
    actor: () => regularFileText(path)?.trim(),
    set: (actor) => {
      writeWhole(path, `${actor}\n`, 0o600);
      syncFolder(home);
    },
    remove: () => removeKept(path),
  };
}
