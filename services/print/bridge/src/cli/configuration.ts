import { mkdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { readEnvironment } from "@frontdesk/kit/environment";
import { StartProblem } from "@frontdesk/kit/problem";
import { type Environment, houseSettings, readSettings } from "@frontdesk/kit/settings";
import { systemSecrets } from "../adapters/secrets.ts";
import { openRegistry } from "../adapters/sqlite-registry.ts";
import { createAccess } from "../domain/access.ts";
import type { Author } from "../domain/audit.ts";
import { printSettings } from "../settings.ts";

export type Configuration = ReturnType<typeof openConfiguration>;

/** Where a running bridge and the command line meet: the settings, the home, and the administrator's decisions. */
export function openConfiguration(given: Environment) {
  const env = readEnvironment(given);
  const home = join(readSettings(houseSettings, env, "FRONTDESK_").FRONTDESK_HOME, "print");
  let opened: ReturnType<typeof openRegistry> | undefined;
  /** Made with its folder by the first command that needs one. */
  const registry = () => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    opened ??= openRegistry(join(home, "config.db"));
    return opened;
  };
  return {
    home,
    settings: () => readSettings(printSettings, env, "PRINT_"),
    get registry() {
      return registry();
    },
    get access() {
      return createAccess({
        registry: registry(),
        clock: systemClock,
        secrets: systemSecrets,
        authFailureLimit: 5,
      });
    },
    /** Who gives a command, for the audit log. */
    author: (): Author => ({ actor: `cli:${userName()}`, at: systemClock.now() }),
    close: () => opened?.close(),
  };
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "");
  }
}

/** The text of a file that a person named. */
export function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartProblem(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
