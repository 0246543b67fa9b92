import { stopWhenOrphaned } from "./orphan.js";
import { Problem } from "./problem.js";

/** Runs one command of a command line: its answer is the exit code, a Problem is one sentence and exit code 1. */
export async function runCommand(command) {
  stopWhenOrphaned();
  try {
    process.exitCode = await command();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
