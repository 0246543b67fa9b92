import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, sep } from "node:path";
import { DomainError } from "@frontdesk/kit/domain-error";
import { syncFolder } from "@frontdesk/kit/kept-file";
import { ENGINE_LOCK, engineRunsIn } from "./engine-lock.ts";

/** Held by an engine that runs; it says nothing of one that does not. */
const KEPT = new Set([ENGINE_LOCK]);

/** Removes all that an engine has written to its folder, while none runs; not the configuration that its owner names. */
export function removeEngineState(folder: string, named: string | undefined): void {
  // Removed by hand, say, before a reset that was cut off is begun again.
  if (!existsSync(folder)) return;
  if (engineRunsIn(folder)) {
    throw new DomainError(
      "engine_busy",
      `An engine still runs in ${folder}, whose keeper hangs: the log says how to end that. Nothing of it was removed.`,
    );
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isNamed = named === path || named?.startsWith(path + sep);
    if (!KEPT.has(name) && !isNamed) rmSync(path, { recursive: true, force: true });
  }
  syncFolder(folder);
}
