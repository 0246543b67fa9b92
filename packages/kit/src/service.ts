import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import closeWithGrace from "close-with-grace";
import { DomainError } from "./domain-error.ts";
import { readEnvironment } from "./environment.ts";
import { makeFolder } from "./folder-owner.ts";
import { createLog, type Log } from "./log.ts";
import { StartProblem } from "./problem.ts";
import { houseSettings, readSettings, type Settings, type Values } from "./settings.ts";

const DRAIN_LIMIT_MS = 10_000;

/** What a running service tells of itself: rows of label and value for the table that "npm start" prints. */
export type Announcement = ReadonlyArray<readonly [label: string, value: string]>;

export interface ServiceContext<S extends Settings> {
  readonly config: Values<S>;
  readonly log: Log;
  /** The service's own folder under FRONTDESK_HOME. */
  readonly home: string;
  /** The folder that was there before this start: `home`, or the nearest above it. Its owner tells whose service this is. */
  readonly existing: string;
  /** Registers something to close on the way out; the last one registered closes first. */
  readonly onClose: (close: () => unknown) => void;
  /** What SIGHUP does; a service that says nothing is stopped by it, as by SIGTERM. */
  readonly onHangup: (reload: () => unknown) => void;
}

/**
 * The frame around every service: settings, log, home folder, orderly end. SIGTERM and SIGINT
 * drain and exit 0. What the operator can put right ends the start with one sentence.
 */
export async function runService<S extends Settings>(options: {
  name: string;
  settings: S;
  start: (context: ServiceContext<S>) => Promise<Announcement>;
}): Promise<void> {
  const closers: Array<() => unknown> = [];
  let log: Log | undefined;
  let closed: Promise<void> | undefined;
  /** Whoever asks a second time, by another signal, waits for the first. */
  const closeAll = () => {
    closed ??= (async () => {
      for (const close of closers.splice(0).reverse()) await close();
    })();
    return closed;
  };

  try {
    const env = readEnvironment();
    const house = readSettings(houseSettings, env, "FRONTDESK_");
    const config = readSettings(options.settings, env, `${options.name.toUpperCase()}_`);
    const ownLog = createLog({
      service: options.name,
      level: house.FRONTDESK_LOG_LEVEL,
      settings: options.settings,
    });
    log = ownLog;
    const { home, existing } = ownFolder(house.FRONTDESK_HOME, options.name);
    const grace = closeWithGrace(
      { delay: DRAIN_LIMIT_MS, logger: false, skip: ["SIGHUP"] },
      async ({ err, signal }) => {
        if (err) ownLog.fatal({ err }, "stopped by an error that nothing handled");
        else ownLog.info({ signal }, "stopping");
        await closeAll();
      },
    );
    // The launcher is gone: nobody is left who could stop this process.
    process.on("disconnect", () => void grace.close());
    let hangUp: () => unknown = () => grace.close();
    process.on("SIGHUP", () => hangUp());

    const announcement = await options.start({
      config,
      log: ownLog,
      home,
      existing,
      onClose: (close) => closers.push(close),
      onHangup: (reload) => {
        hangUp = reload;
      },
    });
    ownLog.info("ready");
    process.send?.({ ready: announcement });
  } catch (error) {
    // Told to stop while it starts: that what it goes on with is closed by then is no problem of the start.
    if (closed) return await closed;
    const problem = sentenceOf(error);
    if (problem === undefined) throw error;
    const cause =
      (error as Error).cause ??
      (error instanceof Error && (isOfSystem(error) || isOfDisk(error)) ? error : undefined);
    if (cause) log?.error({ err: cause }, "the service cannot start");
    await closeAll();
    if (process.send) await new Promise((told) => process.send?.({ problem }, told));
    else console.error(problem);
    process.exit(1);
  }
}

/** What an operator can put right, in a sentence; undefined for what is a mistake of ours. */
function sentenceOf(error: unknown): string | undefined {
  // What the domain refuses is a sentence too: the database's disk is full, say.
  if (error instanceof StartProblem || error instanceof DomainError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if (isOfDisk(error)) return `The disk refuses the database (${error.message}): look whether it is full.`;
  return isOfSystem(error) ? `It cannot start: ${error.message}.` : undefined;
}

/** What the system refuses: a file that may not be opened, a disk that is full. It names the file. */
const isOfSystem = (error: NodeJS.ErrnoException) => error.syscall !== undefined && error.code !== undefined;

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN. */
const DISK_ERRORS = new Set([8, 10, 13, 14]);

/** What a disk refuses SQLite. */
const isOfDisk = ({ errcode = 0 }: Error & { readonly errcode?: number }) => DISK_ERRORS.has(errcode % 256);

function ownFolder(home: string, service: string): { home: string; existing: string } {
  const folder = join(home, service);
  try {
    const made = makeFolder(folder);
    accessSync(folder, constants.W_OK);
    return { home: folder, existing: made === undefined ? folder : dirname(made) };
  } catch (error) {
    if (error instanceof StartProblem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      `The folder ${folder} cannot be written (${code}): make it writable, or set FRONTDESK_HOME to one that is.`,
    );
  }
}
