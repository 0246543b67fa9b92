#!/usr/bin/env node
// The one command line. Plain JavaScript without dependencies, so that it runs
// on any Node from 18 up before anything has been installed.
import { commands, help } from "./commands.js";
import { Problem } from "./problem.js";

const [name = "help", ...words] = process.argv.slice(2);

try {
  if (["help", "--help", "-h"].includes(name)) {
    console.log(help());
  } else {
    const command = commands[name];
    if (!command) throw new Problem(`"${name}" is not a command. "npx frontdesk --help" lists them all.`);
    process.exitCode = await command.run(words);
  }
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
