import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { announce } from "./announce.ts";
import { listen, type PrinterListener } from "./listener.ts";
import { createPrinter, type SimulatedPrinter } from "./printer.ts";
import { CONDITIONS, type Condition } from "./replies.ts";

const USAGE = `npx frontdesk print simulate [--port 9100] [--host 127.0.0.1] [--dpmm 8] [--label-ms 300]
                             [--voids N] [--silent-when-stopped] [--without-sgd]
                             [--announce] [--name "Simulated printer"] [--serial SIM00001]

A ZPL printer on a TCP port, for people without one. With --announce it can be found: by multicast DNS and,
on port 9100, by Zebra's discovery. While it runs, type:
  open | close            the print head
  paper out | paper in    the media
  ribbon out | ribbon in
  pause | resume
  void N                  the next N RFID tags fail
  epc HEX                 the next tag reads back as this
  drop N                  cut the connection after N more bytes
  status                  what it would answer to ~HS`;

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
  return USAGE.slice(USAGE.indexOf("While it runs"));
}

export async function simulate(words: readonly string[]): Promise<number> {
  let options: ReturnType<typeof read>;
  try {
    options = read(words);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 1;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
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
    console.error(
      `${options.host}:${options.port} cannot be listened on (${code}): choose another with --port.`,
    );
    return 1;
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
  return 0;
}

function read(words: readonly string[]) {
  const { values } = parseArgs({
    args: [...words],
    options: {
      port: { type: "string", default: "9100" },
      host: { type: "string", default: "127.0.0.1" },
      dpmm: { type: "string", default: "8" },
      "label-ms": { type: "string", default: "300" },
      voids: { type: "string", default: "0" },
      "silent-when-stopped": { type: "boolean", default: false },
      "without-sgd": { type: "boolean", default: false },
      announce: { type: "boolean", default: false },
      name: { type: "string", default: "Simulated printer" },
      serial: { type: "string", default: "SIM00001" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.announce && values.host.includes(":"))
    throw new Error("--announce needs a --host that is an IPv4 address.");
  if (!/^[A-Za-z0-9]{1,10}$/.test(values.serial))
    throw new Error(`--serial must be up to ten letters and digits, not "${values.serial}".`);
  const whole = (name: "port" | "dpmm" | "label-ms" | "voids", most: number) => {
    const text = values[name];
    if (!/^\d+$/.test(text) || Number(text) > most) {
      throw new Error(`--${name} must be a whole number from 0 to ${most}, not "${text}".`);
    }
    return Number(text);
  };
  return {
    port: whole("port", 65_535),
    host: values.host,
    dpmm: whole("dpmm", 24),
    labelMs: whole("label-ms", 60_000),
    voids: whole("voids", MAX_VOIDS),
    silent: values["silent-when-stopped"],
    withoutSgd: values["without-sgd"],
    announce: values.announce,
    name: values.name,
    serial: values.serial,
    help: values.help,
  };
}
