import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readEnvironment } from "@frontdesk/kit/environment";
import { houseSettings, publicUrl, readSettings } from "@frontdesk/kit/settings";
import { settings as avatarSettings } from "../services/avatar/src/settings.ts";
import { settings as presenceSettings } from "../services/presence/src/settings.ts";
import { printSettings } from "../services/print/bridge/src/settings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const MAX_REQUEST_MS = 30_000;

/** The command lines of the services, as `npx frontdesk <service>` runs them. */
const COMMANDS = {
  presence: "services/presence/src/command.ts",
  lease: "services/lease/manager/src/command.ts",
  print: "services/print/bridge/src/command-line.ts",
} as const;

/** Where the services of this start are: by the settings that they read, too. */
export function places() {
  const env = readEnvironment();
  const { FRONTDESK_HOME } = readSettings(houseSettings, env, "FRONTDESK_");
  const avatar = readSettings(avatarSettings, env, "AVATAR_");
  const presence = readSettings(presenceSettings, env, "PRESENCE_");
  const print = readSettings(printSettings, env, "PRINT_");
  return {
    home: FRONTDESK_HOME,
    avatar: publicUrl(undefined, avatar.AVATAR_API_LISTEN),
    presence: publicUrl(undefined, presence.PRESENCE_LISTEN),
    print: publicUrl(undefined, print.PRINT_LISTEN),
  };
}

export type Places = ReturnType<typeof places>;

/** Runs a command of a service; answers with what it prints. */
export async function run(service: keyof typeof COMMANDS, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, COMMANDS[service]), ...words]);
  return stdout.trim();
}

/** Asks a service, and takes no error for an answer. */
export async function ask(
  url: string,
  init: RequestInit & { readonly json?: object } = {},
): Promise<Response> {
  const { json, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (json) headers.set("content-type", "application/json");
  const response = await fetch(url, {
    method: json ? "POST" : "GET",
    ...rest,
    headers,
    ...(json ? { body: JSON.stringify(json) } : {}),
    signal: AbortSignal.timeout(MAX_REQUEST_MS),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
