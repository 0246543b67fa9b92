import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { buildConsoles } from "./consoles.js";
import { home, root } from "./places.js";
import { prepare } from "./prepare.js";
import { Problem } from "./problem.js";
import { DEMO, LEASE_ENGINE, services } from "./services.js";
import { supervise } from "./supervise.js";

const VITE = "node_modules/vite/bin/vite.js";
const SHOWCASE = "packages/ui/showcase";

/** Every command: what it takes, what it does, and the function that answers with the exit code. */
export const commands = {
  start: {
    usage: "start [service …]",
    about: "run all services, or the named ones, until Ctrl-C",
    run: (words) => start(chosenServices(words)),
  },
  demo: {
    usage: "demo",
    about: "run all services with the sample data of an office, in a folder of its own, until Ctrl-C",
    run: () => demo(),
  },
  test: {
    usage: "test [path …]",
    about: "check types, style, imports and run every test, or only the named files",
    run: async (words) => {
      await buildConsoles(Object.keys(services), prepare());
      return runProgram("checks/run.ts", words);
    },
  },
  bench: {
    usage: "bench <name>",
    about: "measure one thing beside its peer and its limit (no name: list them)",
    run: (words) => runProgram("bench/run.ts", words),
  },
  lease: {
    usage: "lease <words>",
    about:
      "users of lease; simulated clients; its engine alone; a check of its configuration (no words: list them)",
    run: (words) => runLease(words),
  },
  ui: {
    usage: "ui",
    about: "show every part that the consoles are made of, at http://127.0.0.1:31079",
    // Built as consoles are: a development server has not the styles that the build brings with each part.
    run: async () =>
      (await runProgram(VITE, ["build", SHOWCASE, "--logLevel", "error"])) ||
      runProgram(VITE, ["preview", SHOWCASE]),
  },
  docs: {
    usage: "docs",
    about: "write what is generated from the code: docs/settings.md, the presence client",
    run: (words) => runProgram("checks/write-docs.ts", words),
  },
  print: {
    usage: "print <command>",
    about: "printers, templates, origins and licence of the print bridge; a simulated printer",
    run: (words) => runProgram("services/print/bridge/src/command-line.ts", words, process.cwd()),
  },
  avatar: {
    usage: "avatar <command>",
    about: "admins of avatar, and addresses to forget (no command: list them)",
    run: (words) => runProgram("services/avatar/src/command.ts", words, process.cwd()),
  },
  presence: {
    usage: "presence <command>",
    about: "organisations, members, tokens and webhooks of presence (no command: list them)",
    run: (words) => runProgram("services/presence/src/command.ts", words, process.cwd()),
  },
  format: {
    usage: "format",
    about: "format the source and fix what the linter can fix",
    run: () => runProgram("node_modules/@biomejs/biome/bin/biome", ["check", "--write", "."]),
  },
};

export function help() {
  const rows = (entries) => entries.map(([left, right]) => `  ${left.padEnd(20)} ${right}`).join("\n");
  return [
    "Frontdesk: a self-hosted front desk.",
    "",
    "npx frontdesk <command>          (npm start, npm test and npm run bench are the same commands)",
    rows(Object.values(commands).map(({ usage, about }) => [usage, about])),
    rows([["--help", "this page"]]),
    "",
    "npx leasectl <command>           asks a running DHCP engine: leases, events, why an address was given",
    "",
    "services",
    rows(Object.entries(services).map(([name, { about }]) => [name, about])),
    "",
    "State lives in FRONTDESK_HOME (default: .frontdesk in this folder); deleting it is a fresh start.",
    "docs/settings.md lists every setting.",
  ].join("\n");
}

async function start(names) {
  const node = prepare();
  await buildConsoles(names, node);
  return supervise(names, node);
}

/** What a demo takes over from the environment: no database, mail server or directory that is somebody's. */
const KEPT_SETTINGS = /_LISTEN$|^FRONTDESK_(USER|LOG_LEVEL)$/;

async function demo() {
  const folder = join(home(), "demo");
  for (const name of Object.keys(process.env))
    if (/^(FRONTDESK|AVATAR|PRESENCE|LEASE|PRINT)_/.test(name) && !KEPT_SETTINGS.test(name))
      delete process.env[name];
  process.env.FRONTDESK_HOME = folder;
  // Where it receives webhooks itself.
  process.env.PRESENCE_WEBHOOK_ALLOW = "127.0.0.1";
  const node = prepare();
  const names = Object.keys(services);
  await buildConsoles(names, node);
  return supervise([...names, "demo"], node, { demo: DEMO });
}

function chosenServices(words) {
  const unknown = words.find((word) => !Object.hasOwn(services, word));
  if (unknown) {
    throw new Problem(
      `"${unknown}" is not a service. The services are: ${Object.keys(services).join(", ")}.`,
    );
  }
  return words.length ? [...new Set(words)] : Object.keys(services);
}

function runLease(words) {
  const [room, word, file, ...more] = words;
  if (room === "engine" && word === "--config" && file && more.length === 0) {
    process.env.LEASE_CONFIG = resolve(file);
    return supervise(["lease"], prepare(), { lease: LEASE_ENGINE });
  }
  if (room === "config" && word === "check" && file && more.length === 0) {
    return runProgram("services/lease/engine/src/check.ts", [resolve(file)]);
  }
  return runProgram("services/lease/manager/src/command.ts", words);
}

/** `cwd`: for commands that take names of files, where the person is who names them. */
export function runProgram(path, words, cwd = root) {
  const child = spawn(prepare(), [join(root, path), ...words], { cwd, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}
