import { spawn } from "node:child_process";
import { root } from "./places.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a program to its end and answers with how it ended and what it complained of. A signal that would end the launcher
 * ends the program first, which would go on without anybody; `stoppedBy` tells of it.
 */
export async function runQuietly(program, words) {
  const child = spawn(program, words, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  let stoppedBy;
  const stop = (signal) => {
    stoppedBy = signal;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, stoppedBy, stderr }));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
