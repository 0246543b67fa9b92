import type { Clock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { changeToml } from "@frontdesk/lease-config/toml-change";
import { ConfigError } from "@frontdesk/lease-config/toml-document";
import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import type { Replay } from "@frontdesk/lease-control-api/replay";
import type { ConfigApplied } from "@frontdesk/lease-control-api/schemas";
import type { Audited } from "./audited.ts";
import { type Author, assertStillAllowed } from "./author.ts";
import { CODES, refuse } from "./codes.ts";
import { readingOf, valuesOf, WrongConfig } from "./config-values.ts";
import { versionOf } from "./config-version.ts";
import type { ConfigAnswer, Engine } from "./engine.ts";
import { unifiedDiff } from "./line-diff.ts";
import { problemPointers } from "./problem-pointers.ts";
import type { ConfigVersion, Desk } from "./rows.ts";
import { assertTyped, wordsFor } from "./typed-confirmation.ts";

const MAX_VERSIONS = 500;
/** How often a change that somebody else's overtook is made anew. */
const MAX_TRIES = 3;

/** Somebody else has changed it: what the caller saw, and what there is now. */
export class ConfigMovedOn extends DomainError<"config_changed"> {
  readonly version: string;
  readonly current: string;
  readonly seen: string | null;

  constructor(version: string, current: string, seen: string | null) {
    super("config_changed", "The configuration has changed since you read it.");
    this.version = version;
    this.current = current;
    this.seen = seen;
  }
}

export interface WriteOptions {
  /** Seconds; unless confirmed by then, the engine takes it back. */
  readonly confirmWithin?: number | undefined;
  /** What was typed to confirm that no subnet or no interface is left. */
  readonly confirmation?: string | undefined;
  /** What it is told as in the audit log. */
  readonly action?: string;
  readonly subject?: string;
}

/** A configuration that is not written yet: as values, as text, or an earlier version. One of them is given. */
export interface Candidate {
  readonly config?: TomlTable | undefined;
  readonly text?: string | undefined;
  readonly id?: number | undefined;
}

/** The engine's configuration, and every version of it that ran. */
export function createConfiguration({
  engine,
  desk,
  clock,
  audited,
}: {
  readonly engine: Engine;
  readonly desk: Desk;
  readonly clock: Clock;
  readonly audited: Audited;
}) {
  let queue: Promise<unknown> = Promise.resolve();
  /** One change at a time, with its version: what is noticed meanwhile may be what is just being written. */
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = queue.then(act);
    queue = done.catch(() => {});
    return done;
  };

  /** What is in the file, which a write replaces. */
  const read = async () => {
    const state = await engine.config();
    return { text: state.file_text ?? state.text, version: state.file ?? state.running, state };
  };

  const keep = (version: string, text: string, actor: string) =>
    desk.write(async ({ versions }) => {
      const newest = await versions.newest();
      if (newest?.version !== version) await versions.add({ version, at: clock.now(), actor, text });
      await versions.keepNewest(MAX_VERSIONS);
    });

  const outcome = async (
    answer: ConfigAnswer,
    seen: string,
    kept: (applied: ConfigApplied) => Promise<void>,
  ): Promise<ConfigApplied> => {
    if (answer.kind === "applied") {
      await kept(answer.applied);
      return answer.applied;
    }
    if (answer.kind === "wrong") throw new WrongConfig(answer.problems);
    const now = await read();
    const versions = await desk.read.versions.list(MAX_VERSIONS);
    const known = versions.find(({ version }) => version === seen);
    const base = known && (await desk.read.versions.find(known.id));
    throw new ConfigMovedOn(answer.version, now.text, base?.text ?? null);
  };

  /** What a file says; where it cannot be read, what ran last. */
  const known = async (file: string): Promise<TomlTable> =>
    tableOf(file) ?? tableOf((await desk.read.versions.newest())?.text ?? "") ?? {};

  /** Mistakes are told before words are asked for. */
  const assertConfirmed = async (before: string, after: string, typed: string | undefined) => {
    const words = wordsFor(await known(before), tableOf(after) ?? {});
    if (words === undefined || words === typed) return;
    const checked = await engine.checkConfig(after);
    if (!checked.ok) throw new WrongConfig(checked.problems);
    assertTyped(words, typed);
  };

  const write = async (
    author: Author,
    text: string,
    seen: string,
    options: WriteOptions = {},
    /** How its turn is awaited; whoever has it already goes on. */
    turn: typeof inTurn = inTurn,
  ) => {
    const now = await read();
    if (now.version !== seen) return outcome({ kind: "changed", version: now.version }, seen, async () => {});
    await assertConfirmed(now.text, text, options.confirmation);
    const { action = "config_write", subject = null, confirmWithin } = options;
    const apply = async () =>
      outcome(await engine.writeConfig(text, seen, confirmWithin), seen, async ({ version, trial }) => {
        try {
          await keep(version, text, author.actor);
        } catch (error) {
          await undo(error, async () => {
            // What is put right where no engine could start is not on trial, whatever was asked.
            if (trial) return engine.rollBackConfig(version);
            // It ended a trial: what was tried out would come back for good, and nobody has confirmed it.
            if (now.state.trial) throw error;
            return engine.writeConfig(now.text, version);
          });
          throw error;
        }
      });
    return turn(() => audited({ author, action, subject, details: versionOf(text) }, apply));
  };

  /** Whoever asked is told that it failed: then it must not run either, or that is told. */
  const undo = async (cause: unknown, takeBack: () => Promise<ConfigAnswer>) => {
    const answer = await takeBack().catch(() => undefined);
    if (answer?.kind === "applied") return;
    throw Object.assign(new DomainError("config_not_undone", CODES.config_not_undone), { cause });
  };

  const writeFull = async (author: Author, wanted: TomlTable, seen: string, options: WriteOptions = {}) => {
    const { text, version } = await read();
    if (version !== seen) return outcome({ kind: "changed", version }, seen, async () => {});
    const next = changed(text, wanted);
    return write(author, next, seen, options).catch((error: unknown) => {
      if (!(error instanceof WrongConfig)) throw error;
      throw new WrongConfig(error.problems, problemPointers(next, error.problems, "#/config"));
    });
  };

  const versionText = async (id: number) =>
    ((await desk.read.versions.find(id)) ?? refuse("version_not_found")).text;

  const textOf = async ({ config, text, id }: Candidate, now: string): Promise<string> => {
    if (id !== undefined) return versionText(id);
    return text ?? changed(now, config ?? {});
  };

  return {
    read,
    write,
    writeFull,

    /** The document as values, beside the version it has. */
    full: async () => {
      const { text, version, state } = await read();
      return { version, text, config: valuesOf(text), state };
    },

    /** Changes the document by its values, in one turn; it is made anew where somebody writes past the manager meanwhile. */
    edit: async (
      author: Author,
      options: WriteOptions,
      edit: (document: TomlTable, version: string) => TomlTable,
    ) => {
      // Of an engine that does not answer, all are told at once, and none has to wait for its turn to be told.
      await read();
      return inTurn(async () => {
        // Nobody has to wait for edits of somebody who is gone.
        await assertStillAllowed(desk.read, author, clock.now());
        for (let attempt = 1; ; attempt++) {
          const { text, version, state } = await read();
          // Any other version ends a trial for good, and whoever edits a part need not be one who may confirm it.
          if (state.trial) refuse("config_trial_open");
          try {
            const next = changed(text, edit(valuesOf(text), version));
            return await write(author, next, version, options, (act) => act());
          } catch (error) {
            if (!(error instanceof ConfigMovedOn)) throw error;
            // Whoever edits a part of it need not be one who may read all of it.
            if (attempt === MAX_TRIES) refuse("config_busy");
          }
        }
      });
    },

    check: (text: string) => engine.checkConfig(text),

    /** Whether a text with these values would be right. */
    checkDocument: (text: string, wanted: TomlTable) => engine.checkConfig(changed(text, wanted)),

    /** What writing a candidate would change in the file. */
    diff: async (candidate: Candidate) => {
      const { text, version } = await read();
      const after = await textOf(candidate, text);
      return { version, before: text, after, diff: unifiedDiff(text, after) };
    },

    /** What it would change for the clients of the last day. */
    replay: async (text: string): Promise<Replay> => {
      const answer = await engine.replay(text);
      if (!answer.ok) throw new WrongConfig(answer.problems);
      return answer.replay;
    },

    confirm: (author: Author, version: string) =>
      audited({ author, action: "config_confirm", details: version }, () => engine.confirmConfig(version)),

    /** Takes back what is being tried out, if that is still the version that was seen; undefined: whichever it is. */
    takeBack: (author: Author, seen?: string) =>
      inTurn(() =>
        audited({ author, action: "config_take_back" }, async () =>
          outcome(await engine.rollBackConfig(seen), "", async ({ version }) => {
            // What runs: the file may have an edit that nobody has taken up.
            const { running, text } = await engine.config();
            if (running === version) await keep(version, text, author.actor);
          }),
        ),
      ),

    /** Makes an earlier version the present one. */
    rollBack: async (author: Author, id: number, seen: string, options: WriteOptions = {}) => {
      return write(author, await versionText(id), seen, {
        ...options,
        action: "config_rollback",
        subject: String(id),
      });
    },

    history: () => desk.read.versions.list(MAX_VERSIONS),

    version: async (id: number): Promise<ConfigVersion> =>
      (await desk.read.versions.find(id)) ?? refuse("version_not_found"),

    /** Keeps a version that was made past the manager: an edited file, a trial that ended. */
    notice: (running: string) =>
      inTurn(async () => {
        const newest = await desk.read.versions.newest();
        if (newest?.version === running) return;
        const state = await engine.config();
        if (state.running !== running) return;
        // Asked for by a manager that was killed, or gave up waiting, before it could keep it.
        const asked = await desk.read.audit.newestWith(running);
        const isNews = asked !== undefined && asked.at >= (newest?.at ?? 0);
        await keep(running, state.text, isNews ? asked.actor : "the file");
      }),
  };
}

export type Configuration = ReturnType<typeof createConfiguration>;

const tableOf = (text: string): TomlTable | undefined => readingOf(text).config;

function changed(text: string, wanted: TomlTable): string {
  if (!isToml(wanted)) refuse("bad_value");
  try {
    return changeToml(text, wanted);
  } catch (error) {
    if (error instanceof ConfigError) throw new WrongConfig([...error.problems]);
    throw error;
  }
}

/** Whether JSON says something that TOML can say: it has no null. */
function isToml(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isToml);
  if (typeof value === "object") return value !== null && Object.values(value).every(isToml);
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
