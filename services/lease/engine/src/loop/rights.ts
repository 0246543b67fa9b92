import { chownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Config } from "@frontdesk/lease-config/config";
import { renouncePrivileges } from "./libc.ts";

/** Gives up what is no longer needed once the sockets are open. */
export function dropRights(config: Config, folders: readonly string[]): void {
  if (config.interfaces.length === 0 || process.platform !== "linux") return;
  renouncePrivileges();
  if (config.runAs === undefined || process.getuid?.() !== 0) return;
  const user = userNamed(config.runAs);
  if (!user) {
    throw new StartProblem(
      `There is no user "${config.runAs}" on this machine: name another one in [server] run_as.`,
    );
  }
  // The user that the engine becomes must be able to write the leases and the log.
  for (const folder of folders) {
    chownSync(folder, user.uid, user.gid);
    for (const name of readdirSync(folder)) chownSync(join(folder, name), user.uid, user.gid);
  }
  process.setgroups?.([user.gid]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
}

function userNamed(name: string): { uid: number; gid: number } | undefined {
  const entry = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([each]) => each === name);
  return entry && { uid: Number(entry[2]), gid: Number(entry[3]) };
}
