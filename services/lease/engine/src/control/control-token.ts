import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { regularFileText } from "@frontdesk/kit/regular-file";
import type { Config } from "@frontdesk/lease-config/config";

/** A shorter one was never written by us: a disk that was full, or a kill, cut it off. */
const MIN_TOKEN_CHARACTERS = 32;

/** Tells what it is where it is found, and never begins with a dash, which a command line takes for an option. */
const PREFIX = "fdcontrol_";

const newToken = () => `${PREFIX}${randomBytes(32).toString("base64url")}`;

export interface ControlTokens {
  /** Of the manager and of `leasectl`, which present it to whatever has the address: it ends with this engine. */
  readonly ofThisStart: string;
  readonly lasting: string;
}

/** One of these must be presented by callers of the control API; undefined: nothing. */
export function controlTokens(config: Config, folder: string): ControlTokens | undefined {
  const lasting = controlToken(config, folder);
  return lasting === undefined ? undefined : { ofThisStart: newToken(), lasting };
}

/** The one of the configuration, or one that is made at the first start; undefined: none is asked for. */
export function controlToken(config: Config, folder: string): string | undefined {
  if (config.controlOpen) return undefined;
  if (config.controlToken !== undefined) return config.controlToken;
  const path = join(folder, "control-token");
  return keptToken(path) ?? makeToken(path);
}

function keptToken(path: string): string | undefined {
  const token = regularFileText(path)?.trim();
  return token && token.length >= MIN_TOKEN_CHARACTERS ? token : undefined;
}

/** Under its name there is a whole token or none, whatever happens meanwhile. */
function makeToken(path: string): string {
  const token = newToken();
  const draft = `${path}.${process.pid}`;
  // Of a start that was cut off, where every start has the same process id.
  rmSync(draft, { force: true });
  const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeFileSync(fd, `${token}\n`);
    fsyncSync(fd);
    try {
      unlinkSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    linkSync(draft, path);
  } finally {
    closeSync(fd);
    unlinkSync(draft);
  }
  return token;
}
