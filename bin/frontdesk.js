#!/usr/bin/env node
// The one command line. Plain JavaScript without dependencies, so that it runs
// on any Node from 18 up before anything has been installed.
import { commands, help } from "./commands.js";
import { Problem } from "./problem.js";
import { runCommand } from "./run-command.js";

const [name = "help", ...words] = process.argv.slice(2);

await runCommand(() => {
  if (["help", "--help", "-h"].includes(name)) {
    console.log(help());
    return 0;
  }
  if (!Object.hasOwn(commands, name)) {
    throw new Problem(`"${name}" is not a command. "npx frontdesk --help" lists them all.`);
  }
  return commands[name].run(words);
});
