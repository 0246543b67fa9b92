import { simulate } from "@frontdesk/print-simulator/simulate";

/** The words after "npx frontdesk print": what each takes, what it does, and who answers. */
const WORDS: Readonly<
  Record<string, { usage: string; about: string; run: (words: string[]) => Promise<number> }>
> = {
  simulate: {
    usage: "simulate [--port 9100] …",
    about: "be a label printer on a TCP port",
    run: simulate,
  },
};

const [word = "help", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
if (command) {
  process.exitCode = await command.run(rest);
} else {
  const known = word === "help" || word === "--help";
  if (!known) console.error(`"print ${word}" is not a command.`);
  const rows = Object.values(WORDS).map(({ usage, about }) => `  ${usage.padEnd(44)} ${about}`);
  console.log(["npx frontdesk print <command>", ...rows].join("\n"));
  process.exitCode = known ? 0 : 1;
}
