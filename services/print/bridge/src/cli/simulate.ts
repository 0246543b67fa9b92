import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { SIMULATE_ABOUT, SIMULATE_USAGE, simulate } from "@frontdesk/print-simulator/simulate";
import type { Configuration } from "./configuration.ts";

export const simulateCommands: Commands<Configuration> = {
  simulate: command(SIMULATE_USAGE, SIMULATE_ABOUT, async (_configuration, _words, options, flags) => {
    const problem = await simulate(options, flags);
    if (problem !== undefined) throw new StartProblem(problem);
    return undefined;
  }),
};
