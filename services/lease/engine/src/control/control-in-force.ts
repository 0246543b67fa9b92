import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@frontdesk/kit/log";
import { CONTROL_IN_FORCE, type ControlInForce } from "@frontdesk/lease-control-api/control-in-force";
import { replaceFile } from "../config/replace-file.ts";

/** Tells the manager and `leasectl` where this engine is, for as long as it runs. */
export function tellControlInForce(folder: string, control: ControlInForce, log: Pick<Log, "warn">): void {
  const path = join(folder, CONTROL_IN_FORCE);
  try {
    replaceFile(path, `${JSON.stringify(control)}\n`, 0o600);
  } catch (error) {
    // A full disk keeps no engine from serving. Without the file the configuration is believed, an old one would mislead.
    rmSync(path, { force: true });
    log.warn({ err: error, path }, "the address of the control API could not be written down");
  }
}
