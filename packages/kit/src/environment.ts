import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { StartProblem } from "./problem.ts";
import { type Environment, houseSettings } from "./settings.ts";

const FILE = "frontdesk.env";
/** How the names of all settings begin. A service refuses what begins with its own and is none. */
const PREFIXES = ["FRONTDESK_", "AVATAR_", "PRESENCE_", "LEASE_", "LEASECTL_", "PRINT_"];

/**
 * The environment of this process, and beneath it what `frontdesk.env` in FRONTDESK_HOME says. The
 * services and their commands read the same file, so that both mean the same database.
 */
export function readEnvironment(env: Environment = process.env): Environment {
  const { read, fallback } = houseSettings.FRONTDESK_HOME;
  const file = join(read(env.FRONTDESK_HOME || (fallback as string)), FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return env;
    throw new StartProblem(`The file ${file} cannot be read (${code}): make it readable, or remove it.`);
  }
  const given = parseEnv(text);
  if (given.FRONTDESK_HOME)
    throw new StartProblem(`${file} cannot say where FRONTDESK_HOME is: it was found there.`);
  const stray = Object.keys(given).find((name) => !PREFIXES.some((prefix) => name.startsWith(prefix)));
  if (stray)
    throw new StartProblem(`${stray} in ${file} is not a setting: names begin with ${PREFIXES.join(", ")}.`);
  return { ...given, ...env };
}
