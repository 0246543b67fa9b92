import { existsSync } from "node:fs";
import { join } from "node:path";
import { lockIfFree } from "@frontdesk/kit/lock-file";

/** Of the files of an engine's folder, the one that an engine holds as long as it runs. */
export const ENGINE_LOCK = "lock";

/** Whether an engine runs in a folder: where the keeper has none, one of another keeper, which hangs. */
export function engineRunsIn(folder: string): boolean {
  const path = join(folder, ENGINE_LOCK);
  if (!existsSync(path)) return false;
  try {
    const letGo = lockIfFree(path);
    letGo?.();
    return letGo === undefined;
  } catch {
    return false;
  }
}
