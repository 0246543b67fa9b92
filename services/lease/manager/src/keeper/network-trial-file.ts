import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syncFolder, writeWhole } from "@frontdesk/kit/kept-file";
import type { NetworkTrial } from "../domain/host-network.ts";
import { ensureFolder, removeText } from "./kept-text.ts";
import type { FullPlan } from "./network-plan.ts";

/**
 * Where a trial is kept, so that it ends in time after a restart too. Root does what it says: the folder is root's alone
 * and no state folder, such as /var/lib/frontdesk, which belongs to whoever the services run as.
 */
const FOLDER = "var/lib/frontdesk-network";
const FILE = "lease-network-trial.json";
const LOCK = "lease-network.lock";

export interface KeptTrial extends Omit<NetworkTrial, "secondsLeft" | "problem"> {
  readonly plan: FullPlan;
  /**
   * How long it may take; 0 while it is being set up or taken back: whoever finds it so takes it back at once. None in
   * files of earlier versions.
   */
  readonly seconds?: number;
}

/** `root` is where the machine's files are. */
export function networkTrialFile(root: string, lockIfFree: (path: string) => (() => void) | undefined) {
  const folder = join(root, FOLDER);
  const path = join(folder, FILE);
  const makeOwn = () => {
    ensureFolder(folder, 0o700);
    if (!isOwn(folder)) throw new Error(`${folder} is not root's alone: remove it.`);
  };
  return {
    exists: () => existsSync(path) && isOwn(folder),
    /** For one keeper of the machine at a time; undefined while another one that lives has a trial. */
    lock: (): (() => void) | undefined => {
      makeOwn();
      try {
        return lockIfFree(join(folder, LOCK));
      } catch {
        // What cannot be locked nobody has: a disk that takes no writes does not keep a trial from being taken back.
        return () => {};
      }
    },
    read: (): KeptTrial | undefined => {
      try {
        return isOwn(folder) && isOwn(path)
          ? (JSON.parse(readFileSync(path, "utf8")) as KeptTrial)
          : undefined;
      } catch {
        return undefined;
      }
    },
    write: (trial: KeptTrial): void => {
      makeOwn();
      writeWhole(path, JSON.stringify(trial), 0o600);
      syncFolder(folder);
    },
    remove: () => removeText(path),
  };
}

/** Of this user, and nobody else may write there; a link never is. */
function isOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
