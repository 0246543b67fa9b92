import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { syncFolder } from "@frontdesk/kit/kept-file";

/** Held by an engine that runs; it says nothing of one that does not. */
const KEPT = new Set(["lock"]);

/** Removes all that an engine has written to its folder, while none runs; not the configuration that its owner names. */
export function removeEngineState(folder: string, named: string | undefined): void {
  // Removed by hand, say, before a reset that was cut off is begun again.
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isNamed = named === path || named?.startsWith(path + sep);
    if (!KEPT.has(name) && !isNamed) rmSync(path, { recursive: true, force: true });
  }
  syncFolder(folder);
}
