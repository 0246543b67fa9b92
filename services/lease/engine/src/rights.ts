import { chownSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Config } from "./config/config.ts";
import { renouncePrivileges } from "./net/libc.ts";

/** Gives up what is no longer needed once the sockets are open. */
export function dropRights(config: Config, folder: string): void {
  if (config.interfaces.length === 0 || process.platform !== "linux") return;
  renouncePrivileges();
  if (config.runAs === undefined || process.getuid?.() !== 0) return;
  try {
    const { setgroups, setgid, setuid } = process as Required<
      Pick<NodeJS.Process, "setgroups" | "setgid" | "setuid">
    >;
    giveAway(folder, config.runAs);
    setgroups([]);
    setgid(config.runAs);
    setuid(config.runAs);
  } catch (error) {
    throw new StartProblem(
      `The engine cannot run as "${config.runAs}" (${(error as Error).message}): name another user in [server] run_as.`,
    );
  }
}

/** The user that the engine becomes must be able to write the leases. */
function giveAway(folder: string, user: string): void {
  const entry = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === user);
  if (!entry) throw new Error("there is no such user");
  const [uid, gid] = [Number(entry[2]), Number(entry[3])];
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder)) chownSync(join(folder, name), uid, gid);
}
