import { type Commands, runCommandLine } from "@frontdesk/kit/command-line";
import { type Configuration, openConfiguration } from "./cli/configuration.ts";
import { discoverCommands } from "./cli/discover.ts";
import { licenseCommands } from "./cli/license.ts";
import { originCommands } from "./cli/origin.ts";
import { printerCommands } from "./cli/printer.ts";
import { simulateCommands } from "./cli/simulate.ts";
import { templateCommands } from "./cli/template.ts";
import { trustCommands } from "./cli/trust.ts";
import { BridgeError } from "./domain/errors.ts";

const commands: Commands<Configuration> = {
  ...printerCommands,
  ...discoverCommands,
  ...templateCommands,
  ...originCommands,
  ...licenseCommands,
  ...trustCommands,
  ...simulateCommands,
};

/** `npx frontdesk print …`: works beside a running bridge, on the same files. */
process.exitCode = await runCommandLine(
  {
    program: "npx frontdesk print",
    commands,
    isRefusal: (error) => error instanceof BridgeError,
    withTools: async (work) => {
      const configuration = openConfiguration();
      try {
        return await work(configuration);
      } finally {
        configuration.close();
      }
    },
  },
  process.argv.slice(2),
);
