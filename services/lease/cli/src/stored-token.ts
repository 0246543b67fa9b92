import { join } from "node:path";
import { regularFileText } from "@frontdesk/kit/regular-file";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";

/** The token that the engine made at its first start, where this user may read it; else an empty one. */
export function storedToken(): string {
  try {
    const { FRONTDESK_HOME } = readSettings(houseSettings, process.env, "FRONTDESK_");
    return regularFileText(join(FRONTDESK_HOME, "lease/engine/control-token"))?.trim() ?? "";
  } catch {
    return "";
  }
}
