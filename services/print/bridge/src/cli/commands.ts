import { type CommandLine, type Commands, runCommandLine } from "@frontdesk/kit/command-line";
import type { Environment } from "@frontdesk/kit/settings";
import { BridgeError } from "../domain/errors.ts";
import { auditCommands } from "./audit.ts";
import { type Configuration, openConfiguration } from "./configuration.ts";
import { discoverCommands } from "./discover.ts";
import { licenseCommands } from "./license.ts";
import { originCommands } from "./origin.ts";
import { printerCommands } from "./printer.ts";
import { simulateCommands } from "./simulate.ts";
import { templateCommands } from "./template.ts";
import { trustCommands } from "./trust.ts";

const commands: Commands<Configuration> = {
  ...printerCommands,
  ...discoverCommands,
  ...templateCommands,
  ...originCommands,
  ...licenseCommands,
  ...auditCommands,
  ...trustCommands,
  ...simulateCommands,
};

/** `npx frontdesk print …`: works beside a running bridge, on the same files. Answers with the exit code. */
export function runPrintCommand(
  words: readonly string[],
  env: Environment = process.env,
  output: Pick<CommandLine<Configuration>, "print" | "complain"> = {},
): Promise<number> {
  return runCommandLine(
    {
      program: "npx frontdesk print",
      commands,
      isRefusal: (error) => error instanceof BridgeError,
      withTools: async (work) => {
        const configuration = openConfiguration(env);
        try {
          return await work(configuration);
        } finally {
          configuration.close();
        }
      },
      ...output,
    },
    words,
  );
}
