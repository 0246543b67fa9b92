import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "@frontdesk/kit/settings";
import { printSettings } from "../settings.ts";
import { printHome } from "./configuration.ts";

const ANSWER_MS = 2_000;

/** Asks the administration of the bridge that runs on this home; undefined where none runs. */
export async function askRunningBridge<T>(path: string): Promise<T | undefined> {
  const tokenFile = join(printHome(), "admin-token");
  if (!existsSync(tokenFile)) return undefined;
  const { host, port } = readSettings(printSettings, process.env, "PRINT_").PRINT_LISTEN;
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const response = await fetch(`http://${name}:${port}/api/v1/admin/${path}`, {
      headers: { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}
