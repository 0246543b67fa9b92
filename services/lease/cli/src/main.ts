import { parseArgs } from "node:util";
import { showableJson } from "./columns.ts";
import { commands } from "./commands.ts";
import { Client, ControlProblem } from "./control-client.ts";
import { engineAddress } from "./engine-address.ts";

const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;

process.exitCode = await run(process.argv.slice(2));

/** Exit codes for scripts: 0 done, 1 refused or not there, 2 not understood, 3 the engine does not answer. */
async function run(words: string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(words);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help()}`);
    return EXIT.usage;
  }
  const { values, positionals } = parsed;
  const [name = "", ...rest] = positionals;
  if (values.help || name === "" || name === "help") {
    console.log(help());
    return name === "" && !values.help ? EXIT.usage : EXIT.done;
  }
  const command = commands.get(name);
  if (!command || rest.length < command.words.min || rest.length > command.words.max) {
    console.error(
      command ? `It is "leasectl ${command.usage}".` : `"${name}" is not a command.\n\n${help()}`,
    );
    return EXIT.usage;
  }
  try {
    const client = clientFor(values);
    const { ok, value, text } = await command.run(client, rest, values);
    console.log(values.json ? showableJson(value) : text);
    return ok ? EXIT.done : EXIT.refused;
  } catch (error) {
    if (!(error instanceof ControlProblem)) throw error;
    console.error(error.message);
    return error.unreachable ? EXIT.unreachable : EXIT.refused;
  }
}

/** The token that the engine of this machine has told of is for that engine alone. */
function clientFor({ url: asked, token }: { url?: string | undefined; token?: string | undefined }): Client {
  const engine = engineAddress();
  const url = asked ?? process.env.LEASECTL_URL ?? engine.url;
  const isOwn = URL.canParse(url) && new URL(url).origin === new URL(engine.url).origin;
  return new Client(url, token ?? process.env.LEASECTL_TOKEN ?? (isOwn ? (engine.token ?? "") : ""));
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: "string" },
      token: { type: "string" },
      json: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      ip: { type: "string" },
      mac: { type: "string" },
      type: { type: "string" },
      limit: { type: "string" },
      giaddr: { type: "string" },
      "client-id": { type: "string" },
      "circuit-id": { type: "string" },
      "interface-id": { type: "string" },
      "remote-id": { type: "string" },
      interface: { type: "string" },
      duid: { type: "string" },
      iaid: { type: "string" },
      link: { type: "string" },
      prefix: { type: "boolean", default: false },
      "stopped-at": { type: "string" },
      force: { type: "boolean", default: false },
      alone: { type: "boolean", default: false },
      apply: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
}

function help(): string {
  const rows = [...commands.values()].map(({ usage, about }) => `  ${usage.padEnd(54)} ${about}`);
  return [
    "leasectl: speaks to a running lease engine through its control API.",
    "",
    ...rows,
    "",
    "  --url <url>      the control API (or LEASECTL_URL; default: where this machine's engine is)",
    "  --token <token>  its bearer token (or LEASECTL_TOKEN; default: that of this machine's engine, for itself alone)",
    "  --json           the answer as JSON",
    "",
    "exit codes: 0 done, 1 refused or not there, 2 not understood, 3 the engine does not answer",
  ].join("\n");
}
