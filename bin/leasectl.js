#!/usr/bin/env node
// The lease engine's command line; plain JavaScript like frontdesk.js, and for the same reason.
import { runProgram } from "./commands.js";
import { Problem } from "./problem.js";

try {
  process.exitCode = await runProgram("services/lease/cli/src/main.ts", process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
