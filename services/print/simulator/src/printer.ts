import { createZplScanner, type ZplCommand } from "@frontdesk/print-bridge/zpl/scanner";
import { type Format, understandFormat } from "./format.ts";
import {
  type Condition,
  configuration,
  errorStatus,
  hostIdentification,
  hostStatus,
  type Identity,
  type Situation,
} from "./replies.ts";

/** What happens to one RFID tag: it takes the data, it does not, or it reads back as something else. */
export type TagOutcome = "ok" | "void" | { readonly reads: string };

/** One piece of media that came out. */
export interface PrintedLabel {
  readonly zpl: string;
  readonly voided: boolean;
  readonly epc: string;
}

export interface PrinterOptions {
  readonly identity?: Partial<Identity>;
  /** How long one label takes: resolves when it is out. At once, unless told. */
  readonly pace?: () => Promise<void>;
  /** What becomes of each tag in turn; when they run out, every further one is good. */
  readonly tags?: TagOutcome[];
  /** The antenna stands before the head: a tag is written and read back before its label is printed. */
  readonly readsBackFirst?: boolean;
  /** Older firmware answers nothing at all while something is wrong. */
  readonly silentWhenStopped?: boolean;
  /** Firmware leaves `~HS` out while media, ribbon or head stop it, as Zebra's guide says; what else is asked it answers. */
  readonly hostStatusOutWhenStopped?: boolean;
  /** Other firmware reads nothing while something is wrong, and answers every question it was asked when it goes on. */
  readonly unreadWhenStopped?: boolean;
  /** How long such firmware takes for each question: resolves when it reads on. */
  readonly questionPace?: () => Promise<void>;
  /**
   * The parser outlives connections, as on a USB or serial line or behind a print server: half a format waits for its end
   * on the next one. Answers go to the connection that was opened last.
   */
  readonly oneParser?: boolean;
  /** A format that prints nothing waits for its turn among the others; else it is carried out at once. */
  readonly emptyFormatsWait?: boolean;
  /** A label counts as left until it begins to move; else until it is out. */
  readonly leftUntilMoved?: boolean;
  /** Without Set-Get-Do: every variable is "?". */
  readonly withoutSgd?: boolean;
  readonly onLabel?: (label: PrintedLabel) => void;
  readonly odometer?: number;
}

export interface SimulatedPrinter {
  /** A connection: bytes in, answers out through `reply`. What was not read yet is, unless the connection is lost. */
  open(reply: (text: string) => void): { feed(bytes: Uint8Array): void; close(isLost?: boolean): void };
  set(condition: Condition, on: boolean): void;
  /** The CANCEL key: what waits to be printed is gone. */
  cancel(): void;
  readonly labels: readonly PrintedLabel[];
  readonly situation: Situation;
  readonly counters: { odometer: number; valid: number; voids: number; statusPolls: number };
  readonly tags: TagOutcome[];
}

interface Task {
  readonly format: Format;
  remaining: number;
  /** Labels that may still be spent on the current tag. */
  tries: number;
  readonly reply: (text: string) => void;
}

/** What a question begins with, for firmware that reads them one by one. */
const QUESTION = "~HQES";
const latin1 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

export function createPrinter(options: PrinterOptions = {}): SimulatedPrinter {
  const identity = { model: "ZT411-203dpi", firmware: "V92.21.39Z", dpmm: 8, ...options.identity };
  const pace = options.pace ?? (() => Promise.resolve());
  const tags = options.tags ?? [];
  const conditions = new Set<Condition>();
  const tasks: Task[] = [];
  const labels: PrintedLabel[] = [];
  const counters = { odometer: options.odometer ?? 1000, valid: 0, voids: 0, statusPolls: 0 };
  let partialFormats = 0;
  let inMotion = 0;
  let running = false;
  let wakeUp = Promise.withResolvers<void>();

  const situation = (): Situation => ({
    conditions,
    labelLengthDots: 1245,
    formatsWaiting: Math.max(0, tasks.length - 1),
    partialFormat: partialFormats > 0,
    labelsRemaining: Math.max(0, (tasks[0]?.remaining ?? 0) - (options.leftUntilMoved ? inMotion : 0)),
  });

  /** A pause lets the printer finish its label. */
  const hasTrouble = () => [...conditions].some((condition) => condition !== "paused");

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (tasks[0]) {
      if (conditions.size > 0) {
        await wakeUp.promise;
        continue;
      }
      const task = tasks[0];
      if (task.remaining > 0) await printOne(task);
      if (task.remaining === 0 && tasks[0] === task) tasks.shift();
    }
    running = false;
  }

  async function printOne(task: Task): Promise<void> {
    const first = options.readsBackFirst ? { epc: writeTag(task.format) } : undefined;
    if (first) readBack(task, first.epc);
    inMotion = 1;
    await pace();
    inMotion = 0;
    if (!tasks.includes(task)) return;
    counters.odometer++;
    // The media moved, so it counted; what was on it is printed again when the trouble is over.
    if (hasTrouble()) return;
    const { epc } = first ?? { epc: writeTag(task.format) };
    if (epc === undefined) {
      putOut({ zpl: task.format.zpl, voided: true, epc: "" });
      // ^RS allows no more labels for this one: the format is dropped and the next begins.
      if (--task.tries === 0) task.remaining = 0;
      return;
    }
    task.remaining--;
    task.tries = task.format.tries;
    putOut({ zpl: task.format.zpl, voided: false, epc });
    if (!first) readBack(task, epc);
  }

  function readBack({ format: { readBack: told }, reply }: Task, epc: string | undefined): void {
    if (told && epc !== undefined) reply(`${told.header}${epc}${told.tail}`);
  }

  /** What the tag holds afterwards: nothing to write is an empty one, a void is none. */
  function writeTag({ encode }: Format): string | undefined {
    if (encode === undefined) return "";
    const outcome = tags.shift() ?? "ok";
    if (outcome === "void") {
      counters.voids++;
      return undefined;
    }
    counters.valid++;
    return outcome === "ok" ? encode : outcome.reads;
  }

  function putOut(label: PrintedLabel): void {
    labels.push(label);
    options.onLabel?.(label);
  }

  let shared: ReturnType<typeof openParser> | undefined;
  let hear: (text: string) => void = () => {};

  function open(reply: (text: string) => void): ReturnType<SimulatedPrinter["open"]> {
    if (!options.oneParser) return openParser(reply);
    hear = reply;
    shared ??= openParser((text) => hear(text));
    const { feed, close } = shared;
    return {
      feed,
      close: (isLost) => {
        if (hear === reply) hear = () => {};
        if (!isLost) return;
        close(true);
        shared = undefined;
      },
    };
  }

  function openParser(reply: (text: string) => void): ReturnType<SimulatedPrinter["open"]> {
    let format: ZplCommand[] | undefined;
    const answer = (text: string) => {
      if (options.silentWhenStopped && conditions.size > 0) return;
      reply(text);
    };
    const endFormat = () => {
      if (!format) return;
      const understood = understandFormat(format);
      format = undefined;
      partialFormats--;
      if (!understood.prints && !options.emptyFormatsWait) return;
      const { quantity, tries } = understood;
      const remaining = understood.prints ? quantity : 0;
      tasks.push({ format: understood, remaining, tries, reply });
      void run();
    };
    const variables: Record<string, () => string> = {
      "odometer.total_label_count": () => String(counters.odometer),
      "odometer.rfid.valid_resettable": () => String(counters.valid),
      "odometer.rfid.void_resettable": () => String(counters.voids),
      "device.product_name": () => identity.model,
      "device.host_status": () => hostStatus(situation()),
      "media.status": () => (conditions.has("paper-out") ? "out" : "ok"),
      "head.latch": () => (conditions.has("head-open") ? "open" : "ok"),
      "appl.name": () => identity.firmware,
    };
    const immediate: Record<string, () => void> = {
      "~HI": () => answer(hostIdentification(identity)),
      "~HS": () => {
        if (!(options.hostStatusOutWhenStopped && hasTrouble())) answer(hostStatus(situation()));
      },
      "~HQES": () => {
        counters.statusPolls++;
        answer(errorStatus(situation()));
      },
      "~PP": () => set("paused", true),
      "~PS": () => set("paused", false),
      "~JA": () => void tasks.splice(running ? 1 : 0),
      "~JX": () => {
        if (format) partialFormats--;
        format = undefined;
      },
      "~RO": () => {},
    };
    const scanner = createZplScanner({
      sgd: (line) => {
        const name = /^! U1 getvar "([^"]*)"/.exec(line)?.[1];
        const value = name !== undefined && Object.hasOwn(variables, name) ? variables[name]?.() : undefined;
        if (name !== undefined) answer(`"${options.withoutSgd ? "?" : (value ?? "?")}"`);
      },
      command: (command) => {
        const act = Object.hasOwn(immediate, command.name) ? immediate[command.name] : undefined;
        if (act) return act();
        if (command.name === "^XA") {
          if (!format) partialFormats++;
          format = [];
        } else if (command.name === "^XZ") endFormat();
        else if (command.name === "^HH") answer(configuration(identity));
        else format?.push(command);
      },
    });
    const drop = () => {
      if (format) partialFormats--;
      format = undefined;
    };
    if (options.unreadWhenStopped) return unreadInput(scanner.push, drop);
    return { feed: (bytes: Uint8Array) => scanner.push(latin1(bytes)), close: drop };
  }

  /** Reads as far as the next question while nothing is wrong. */
  function unreadInput(push: (text: string) => void, drop: () => void) {
    let unread = "";
    let reading: Promise<void> | undefined;
    async function readOn(): Promise<void> {
      while (unread !== "") {
        if (conditions.size > 0) {
          await wakeUp.promise;
          continue;
        }
        const question = unread.indexOf(QUESTION, 1);
        const read = question < 0 ? unread : unread.slice(0, question);
        unread = unread.slice(read.length);
        push(read);
        await options.questionPace?.();
      }
      reading = undefined;
    }
    return {
      feed: (bytes: Uint8Array) => {
        unread += latin1(bytes);
        reading ??= readOn();
      },
      close: (isLost = false) => {
        if (isLost) unread = "";
        void (reading ?? Promise.resolve()).then(drop);
      },
    };
  }

  function set(condition: Condition, on: boolean): void {
    if (on) conditions.add(condition);
    else conditions.delete(condition);
    wakeUp.resolve();
    wakeUp = Promise.withResolvers();
  }

  return {
    open,
    set,
    cancel: () => void tasks.splice(0),
    labels,
    get situation() {
      return situation();
    },
    counters,
    tags,
  };
}
