import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Held by an engine that runs; it says nothing of one that does not. */
const KEPT = new Set(["lock"]);

/** Removes all that an engine has written to its folder, while none runs. */
export function removeEngineState(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!KEPT.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
