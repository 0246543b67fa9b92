import { readdirSync, readFileSync } from "node:fs";

/** What proc_pid_stat(5) tells first after the name of the program, which may have anything in it. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended.
    return [];
  }
}

export const parentOf = (pid: number) => Number(statOf(pid)[1]);

/** One that has ended and that nobody has asked about is there, and does nothing any more. */
export const isAlive = (pid: number) => !["Z", "X", undefined].includes(statOf(pid)[0]);

export const childrenOf = (parent: number | undefined) =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
