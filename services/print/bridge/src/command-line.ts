import { StartProblem } from "@frontdesk/kit/problem";
import { simulate } from "@frontdesk/print-simulator/simulate";
import { UsageError } from "./cli/configuration.ts";
import { DISCOVER_USAGE, discover } from "./cli/discover.ts";
import { LICENSE_USAGE, license } from "./cli/license.ts";
import { ORIGIN_USAGE, origin } from "./cli/origin.ts";
import { PRINTER_USAGE, printer } from "./cli/printer.ts";
import { TEMPLATE_USAGE, template } from "./cli/template.ts";
import { TRUST_USAGE, trust } from "./cli/trust.ts";
import { BridgeError } from "./domain/errors.ts";

/** The words after "npx frontdesk print": how each is used, and who answers. */
const WORDS: Readonly<Record<string, { usage: string; run: (words: string[]) => Promise<number> }>> = {
  printer: { usage: PRINTER_USAGE, run: printer },
  discover: { usage: DISCOVER_USAGE, run: discover },
  template: { usage: TEMPLATE_USAGE, run: template },
  origin: { usage: ORIGIN_USAGE, run: origin },
  license: { usage: LICENSE_USAGE, run: license },
  trust: { usage: TRUST_USAGE, run: trust },
  simulate: {
    usage: "simulate [--port 9100] …     be a label printer on a TCP port (--help tells more)",
    run: simulate,
  },
};

const [word = "help", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
if (command) {
  try {
    process.exitCode = await command.run(rest);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const told = [UsageError, StartProblem, BridgeError].some((kind) => error instanceof kind);
    if (!told && !code.startsWith("ERR_PARSE_ARGS")) throw error;
    console.error((error as Error).message);
    process.exitCode = 1;
  }
} else {
  const known = ["help", "--help", "-h"].includes(word);
  if (!known) console.error(`"print ${word}" is not a command.\n`);
  const usage = Object.values(WORDS).flatMap((entry) => entry.usage.split("\n"));
  console.log(["npx frontdesk print <command>", "", ...usage.map((line) => `  ${line}`)].join("\n"));
  process.exitCode = known ? 0 : 1;
}
