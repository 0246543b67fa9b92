import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "@frontdesk/lease-config/config";

/** What callers of the control API must present; undefined: nothing. Made at the first start. */
export function controlToken(config: Config, folder: string): string | undefined {
  if (config.controlOpen) return undefined;
  if (config.controlToken !== undefined) return config.controlToken;
  const path = join(folder, "control-token");
  try {
    writeFileSync(path, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(fd, "utf8").trim();
  } finally {
    closeSync(fd);
  }
}
