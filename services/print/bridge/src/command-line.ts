import { runPrintCommand } from "./cli/commands.ts";

process.exitCode = await runPrintCommand(process.argv.slice(2));
