import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Config } from "@frontdesk/lease-config/config";
import type { RawConfig } from "@frontdesk/lease-config/raw-config";
import { ConfigError, type ConfigProblem } from "@frontdesk/lease-config/toml-document";
import { parseConfig } from "@frontdesk/lease-config/validate";

/** Reads the file and what it says; what is wrong with it is told in the operator's words. */
export function loadConfigFile(path: string, parse = parseConfig): { text: string; config: Config } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartProblem(
      `The configuration ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  try {
    return { text, config: parse(text).config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.problems.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
    throw new StartProblem(lines.join("\n"));
  }
}

export function writeIfMissing(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  return true;
}

/** What names a configuration: the same text, the same version. */
export const versionOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

export type Checked =
  | { readonly ok: true; readonly raw: RawConfig; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** What a text says, or what is wrong with it. */
export function checkConfig(text: string, parse: typeof parseConfig): Checked {
  try {
    return { ok: true, ...parse(text) };
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problems: error.problems };
    throw error;
  }
}
