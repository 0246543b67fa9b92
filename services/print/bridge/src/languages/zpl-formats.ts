/** A ZPL label format in the bytes of a job: from its `^XA` to after its `^XZ`. */
export interface ZplFormat {
  readonly start: number;
  readonly end: number;
  /** How many labels come out of it; none when it only sets or stores something. */
  readonly labels: number;
  readonly encodesTag: boolean;
  /** What it writes to the tag, in hexadecimal, where that can be told. */
  readonly epc: string | undefined;
  readonly setsTries: boolean;
  readonly readsBack: boolean;
}

export interface ZplCommand {
  readonly name: string;
  readonly start: number;
  readonly parametersAt: number;
  readonly end: number;
}

const PRINTS = /^\^(FD|FV|SN|SF|GB|GC|GD|GE|GF|GS|XG|IM|IL)$/;
const TAG_COMMAND = /^\^(RF|RB|RM|RR|RQ|RS|RT|RU|RW|RZ|RL|WT|WV|HR)$|^~R(V|O)$/;

/**
 * Cuts ZPL (as latin1 text) into commands. The caret and the tilde can be changed by the data
 * itself (`^CC`, `^CT`), and raw graphics may hold either, so both are followed.
 */
export function* zplCommands(text: string): Generator<ZplCommand> {
  let caret = "^";
  let tilde = "~";
  let at = nextPrefix(text, 0, caret, tilde);
  while (at < text.length) {
    const prefix = text[at] === caret ? "^" : "~";
    const letters = text.slice(at + 1, at + 3).toUpperCase();
    const name = prefix + letters;
    const parametersAt = Math.min(text.length, at + 3);
    const counted = binaryEnd(text, parametersAt, name);
    const end = nextPrefix(text, counted ?? parametersAt, caret, tilde);
    if (name === "^CC" || name === "~CC") {
      caret = text[parametersAt] ?? caret;
      yield { name, start: at, parametersAt, end: parametersAt + 1 };
      at = nextPrefix(text, parametersAt + 1, caret, tilde);
      continue;
    }
    if (name === "^CT" || name === "~CT") {
      tilde = text[parametersAt] ?? tilde;
      yield { name, start: at, parametersAt, end: parametersAt + 1 };
      at = nextPrefix(text, parametersAt + 1, caret, tilde);
      continue;
    }
    yield { name, start: at, parametersAt, end };
    at = end;
  }
}

function nextPrefix(text: string, from: number, caret: string, tilde: string): number {
  const a = text.indexOf(caret, from);
  const b = text.indexOf(tilde, from);
  if (a < 0 && b < 0) return text.length;
  return a < 0 ? b : b < 0 ? a : Math.min(a, b);
}

function binaryEnd(text: string, from: number, name: string): number | undefined {
  const head = text.slice(from, from + 80);
  const found =
    name === "^GF"
      ? /^B,(\d+),\d+,\d+,/i.exec(head)
      : name === "~DY"
        ? /^[^,]*,[BPC],[^,]*,(\d+),\d*,/i.exec(head)
        : undefined;
  return found ? Math.min(text.length, from + found[0].length + Number(found[1])) : undefined;
}

export function zplFormats(text: string): ZplFormat[] {
  const formats: ZplFormat[] = [];
  let start = -1;
  let commands: ZplCommand[] = [];
  for (const command of zplCommands(text)) {
    if (command.name === "^XA") {
      start = command.start;
      commands = [];
    } else if (command.name === "^XZ" && start >= 0) {
      formats.push(understand(text, start, command.parametersAt, commands));
      start = -1;
    } else if (start >= 0) commands.push(command);
  }
  return formats;
}

function understand(text: string, start: number, end: number, commands: readonly ZplCommand[]): ZplFormat {
  const find = (name: string) => commands.find((command) => command.name === name);
  const parameters = (command: ZplCommand | undefined) =>
    command ? text.slice(command.parametersAt, command.end).split(",") : [];
  const quantity = Math.max(1, Number.parseInt(parameters(find("^PQ"))[0] ?? "1", 10) || 1);
  const stores = find("^DF") !== undefined;
  const prints = !stores && commands.some(({ name }) => PRINTS.test(name));
  const write = commands.findIndex(
    ({ name, parametersAt }) => name === "^RF" && /^[WPwp]/.test(text.slice(parametersAt, parametersAt + 1)),
  );
  return {
    start,
    end,
    labels: prints ? quantity : 0,
    encodesTag: write >= 0,
    epc: write >= 0 ? tagValue(text, commands, write) : undefined,
    setsTries: find("^RS") !== undefined,
    readsBack: find("^HV") !== undefined,
  };
}

function tagValue(text: string, commands: readonly ZplCommand[], write: number): string | undefined {
  const command = commands[write] as ZplCommand;
  const isHex = /^W,H/i.test(text.slice(command.parametersAt, command.end));
  const field = commands.slice(write + 1).find(({ name }) => name === "^FD");
  if (!isHex || !field) return undefined;
  const value = text.slice(field.parametersAt, field.end).trim().toUpperCase();
  return /^[0-9A-F]+$/.test(value) ? value : undefined;
}

/** Whether a format is begun (`^XA`) and not ended (`^XZ`): the printer would wait for its end for ever. */
export function hasOpenFormat(text: string): boolean {
  let open = false;
  for (const { name } of zplCommands(text)) {
    if (name === "^XA") open = true;
    else if (name === "^XZ") open = false;
  }
  return open;
}

/** Whether ZPL works with RFID tags at all: what a license may forbid. */
export function usesRfid(text: string): boolean {
  for (const { name } of zplCommands(text)) if (TAG_COMMAND.test(name)) return true;
  return false;
}
