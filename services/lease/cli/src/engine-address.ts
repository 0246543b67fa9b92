import { join } from "node:path";
import { regularFileText } from "@frontdesk/kit/regular-file";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import {
  CONTROL_IN_FORCE,
  type ControlInForce,
  controlInForce,
} from "@frontdesk/lease-control-api/control-in-force";

const DEFAULT_URL = "http://127.0.0.1:31076";

/**
 * Where the engine of this machine is and its token, as it told when it started, where this user may read that; else its
 * usual address, and the token that an engine of an earlier version made.
 */
export function engineAddress(): ControlInForce {
  const folder = engineFolder();
  if (folder === undefined) return { url: DEFAULT_URL, token: null };
  const told = controlInForce(textOf(join(folder, CONTROL_IN_FORCE)));
  return told ?? { url: DEFAULT_URL, token: textOf(join(folder, "control-token")) };
}

function engineFolder(): string | undefined {
  try {
    return join(readSettings(houseSettings, process.env, "FRONTDESK_").FRONTDESK_HOME, "lease/engine");
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return regularFileText(path)?.trim() ?? "";
  } catch {
    return "";
  }
}
