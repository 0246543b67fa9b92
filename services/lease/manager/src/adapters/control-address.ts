import { readFileSync } from "node:fs";
import { join } from "node:path";
import { regularFileText } from "@frontdesk/kit/regular-file";
import { isTable, type TomlTable } from "@frontdesk/lease-config/toml-text";
import { CONTROL_IN_FORCE, controlInForce } from "@frontdesk/lease-control-api/control-in-force";
import { valuesOf } from "../domain/config-values.ts";
import type { ControlAddress } from "./control-client.ts";

const DEFAULT_LISTEN = "127.0.0.1:31076";

/** Where the engine's control API is and which token it wants. */
export function controlAddress(configPath: string, engineFolder: string): ControlAddress {
  const text = keptText(join(engineFolder, CONTROL_IN_FORCE));
  const inForce = text === undefined ? undefined : controlInForce(text);
  if (inForce) return { url: inForce.url, token: inForce.token ?? undefined };
  return configuredAddress(configPath, engineFolder);
}

/** By the engine's configuration: no engine has run yet, or one of an earlier version, which writes no file. */
function configuredAddress(configPath: string, engineFolder: string): ControlAddress {
  const server = serverSection(configPath);
  const listen = typeof server.control_listen === "string" ? server.control_listen : DEFAULT_LISTEN;
  const token = typeof server.control_token === "string" ? server.control_token : undefined;
  const isOpen = server.control_open === true;
  return {
    url: `http://${listen}`,
    token: isOpen ? undefined : (token ?? keptText(join(engineFolder, "control-token"))),
  };
}

function serverSection(path: string): TomlTable {
  try {
    const { server } = valuesOf(readFileSync(path, "utf8"));
    return isTable(server) ? server : {};
  } catch {
    // Not written yet, or wrong: the engine says so itself.
    return {};
  }
}

function keptText(path: string): string | undefined {
  try {
    // None before the engine's first start.
    return regularFileText(path)?.trim();
  } catch {
    return undefined;
  }
}
