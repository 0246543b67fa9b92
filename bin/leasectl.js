#!/usr/bin/env node
// The lease engine's command line; plain JavaScript like frontdesk.js, and for the same reason.
import { runProgram } from "./commands.js";
import { runCommand } from "./run-command.js";

await runCommand(() => runProgram("services/lease/cli/src/main.ts", process.argv.slice(2)));
