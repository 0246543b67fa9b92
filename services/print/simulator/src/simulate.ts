import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { announce } from "./announce.ts";
import { listen, type PrinterListener } from "./listener.ts";
import { createPrinter, type SimulatedPrinter } from "./printer.ts";
import { CONDITIONS, type Condition } from "./replies.ts";

export const SIMULATE_USAGE =
  "[--port <9100>] [--host <127.0.0.1>] [--dpmm <8>] [--label-ms <300>] [--voids <N>] [--silent-when-stopped] [--without-sgd] [--one-parser] [--announce] [--name <Simulated printer>] [--serial <SIM00001>]";

const TYPED = `While it runs, type:
  open | close            the print head
  paper out | paper in    the media
  ribbon out | ribbon in
  pause | resume
  void N                  the next N RFID tags fail
  epc HEX                 the next tag reads back as this
  drop N                  cut the connection after N more bytes
  status                  what it would answer to ~HS`;

export const SIMULATE_ABOUT =
  "is a ZPL label printer on a TCP port; with --announce it can be found, by multicast DNS and, on port 9100, by Zebra's discovery. Once it runs, an empty line tells what can be typed";

const SWITCHES: Readonly<Record<string, [Condition, boolean]>> = {
  open: ["head-open", true],
  close: ["head-open", false],
  "paper out": ["paper-out", true],
  "paper in": ["paper-out", false],
  "ribbon out": ["ribbon-out", true],
  "ribbon in": ["ribbon-out", false],
  pause: ["paused", true],
  resume: ["paused", false],
};

const MAX_VOIDS = 1_000;
const MAX_NUMBERS = { port: 65_535, dpmm: 24, "label-ms": 60_000, voids: MAX_VOIDS };

/** Obeys one typed line; answers with what to show. */
export function obey(
  line: string,
  printer: SimulatedPrinter,
  listener: Pick<PrinterListener, "faults" | "received">,
): string {
  const words = line.trim().toLowerCase().replace(/\s+/g, " ");
  const flip = Object.hasOwn(SWITCHES, words) ? SWITCHES[words] : undefined;
  if (flip) {
    printer.set(...flip);
    return `stopped by: ${[...printer.situation.conditions].join(", ") || "nothing"}`;
  }
  const [verb, value = ""] = words.split(" ");
  if (verb === "void" && /^\d+$/.test(value)) {
    if (Number(value) > MAX_VOIDS) return `at most ${MAX_VOIDS} tags fail at once`;
    printer.tags.push(...Array.from({ length: Number(value) }, () => "void" as const));
    return `the next ${value} tags fail`;
  }
  if (verb === "epc" && /^[0-9a-f]+$/.test(value)) {
    printer.tags.push({ reads: value.toUpperCase() });
    return `the next tag reads back as ${value.toUpperCase()}`;
  }
  if (verb === "drop" && /^\d+$/.test(value)) {
    listener.faults.dropAtByte = listener.received.bytes + Number(value);
    return `the connection is cut after ${value} more bytes`;
  }
  if (verb === "status") {
    const { labelsRemaining, formatsWaiting, conditions } = printer.situation;
    const stopped = [...conditions].filter((name) => name in CONDITIONS).join(", ") || "nothing";
    return `labels remaining ${labelsRemaining}, formats waiting ${formatsWaiting}, odometer ${printer.counters.odometer}, stopped by: ${stopped}`;
  }
  return TYPED;
}

/** Runs until a signal ends it; answers with what is wrong where it cannot. */
export async function simulate(
  options: Readonly<Record<string, string | undefined>>,
  flags: ReadonlySet<string>,
): Promise<string | undefined> {
  const read = readOptions(options, flags);
  return typeof read === "string" ? read : run(read);
}

async function run(options: SimulatorOptions): Promise<string | undefined> {
  const identity = {
    dpmm: options.dpmm,
    model: `ZT411-${Math.round(options.dpmm * 25.4)}dpi`,
    firmware: "V92.21.39Z",
  };
  const printer = createPrinter({
    identity,
    pace: () => delay(options.labelMs),
    tags: Array.from({ length: options.voids }, () => "void" as const),
    silentWhenStopped: options.silent,
    withoutSgd: options.withoutSgd,
    oneParser: options.oneParser,
    onLabel: ({ voided, epc, zpl }) =>
      console.log(
        `${voided ? "VOID " : "label"}  ${epc ? `epc ${epc}  ` : ""}${zpl.replace(/\s+/g, " ").slice(0, 100)}`,
      ),
  });
  let listener: PrinterListener;
  try {
    listener = await listen(printer, { host: options.host, port: options.port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${options.host}:${options.port} cannot be listened on (${code}): choose another with --port.`;
  }
  console.log(`A label printer listens on ${listener.host}:${listener.port}. Ctrl-C ends it.`);
  const announced = options.announce
    ? await announce({ ...options, ...identity, host: listener.host, port: listener.port })
    : undefined;
  if (announced) console.log(`It can be found by ${announced.ways.join(" and ")}.`);
  const typed = createInterface({ input: process.stdin });
  typed.on("line", (line) => console.log(obey(line, printer, listener)));
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  typed.close();
  await announced?.stop();
  await listener.stop();
  return undefined;
}

type SimulatorOptions = Exclude<ReturnType<typeof readOptions>, string>;

/** The options, or what is wrong with them. */
function readOptions(given: Readonly<Record<string, string | undefined>>, flags: ReadonlySet<string>) {
  const { host = "127.0.0.1", name = "Simulated printer", serial = "SIM00001" } = given;
  const announced = flags.has("announce");
  if (announced && host.includes(":")) return "--announce needs a --host that is an IPv4 address.";
  if (!/^[A-Za-z0-9]{1,10}$/.test(serial))
    return `--serial must be up to ten letters and digits, not "${serial}".`;
  const numbers = { port: 9100, dpmm: 8, "label-ms": 300, voids: 0 };
  for (const option of Object.keys(numbers) as Array<keyof typeof numbers>) {
    const text = given[option] ?? String(numbers[option]);
    if (!/^\d+$/.test(text) || Number(text) > MAX_NUMBERS[option])
      return `--${option} must be a whole number from 0 to ${MAX_NUMBERS[option]}, not "${text}".`;
    numbers[option] = Number(text);
  }
  return {
    host,
    name,
    serial,
    port: numbers.port,
    dpmm: numbers.dpmm,
    labelMs: numbers["label-ms"],
    voids: numbers.voids,
    silent: flags.has("silent-when-stopped"),
    withoutSgd: flags.has("without-sgd"),
    oneParser: flags.has("one-parser"),
    announce: announced,
  };
}
