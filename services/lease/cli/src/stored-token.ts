import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";

/** The token that the engine made at its first start, where this user may read it; else an empty one. */
export function storedToken(): string {
  try {
    const { FRONTDESK_HOME } = readSettings(houseSettings, process.env, "FRONTDESK_");
    const path = join(FRONTDESK_HOME, "lease/engine/control-token");
    // The folder is the engine's user's: without O_NONBLOCK, a FIFO in the token's place would hold up whoever asks.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return fstatSync(fd).isFile() ? readFileSync(fd, "utf8").trim() : "";
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
