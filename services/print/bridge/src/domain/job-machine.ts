import type { Job, JobFailure, JobState, LabelCount, Verification } from "./job.ts";
import type { JobChange } from "./journal.ts";

/**
 * The life of a job. A job is in one of these phases; two of them are called Held outside, because it makes
 * all the difference whether a byte may have left: only then is a job never sent again.
 *
 *     queued ⇄ blocked ──ready──► sending ⇄ printing ⇄ stopped ──► done · failed · unknown
 *        ▲__not-sent, withdrawn______│
 */
export type JobPhase =
  | "queued"
  | "blocked"
  | "sending"
  | "printing"
  | "stopped"
  | "done"
  | "failed"
  | "unknown";

/** How each phase is told: the job's state, and whether a byte may have left. */
const PHASES: Readonly<Record<JobPhase, { state: JobState; started: boolean }>> = {
  queued: { state: "Queued", started: false },
  blocked: { state: "Held", started: false },
  sending: { state: "Sending", started: true },
  printing: { state: "Printing", started: true },
  stopped: { state: "Held", started: true },
  done: { state: "Done", started: true },
  failed: { state: "Failed", started: true },
  unknown: { state: "Unknown", started: true },
};

/** Held is two phases; every other state is one. */
const PHASE_OF = Object.fromEntries(
  Object.entries(PHASES).map(([phase, { state }]) => [state, phase]),
) as Record<JobState, JobPhase>;

export function phaseOf({ state, started }: Pick<Job, "state" | "started">): JobPhase {
  if (state === "Held") return started ? "stopped" : "blocked";
  return PHASE_OF[state];
}

/** What the printer tells while a job is under way. */
export type JobProgress = {
  readonly count: LabelCount;
  /** What the labels are counted from; undefined where that is not known any more. Left out, it stays as it was. */
  readonly odometer?: number | undefined;
  readonly spoolerJob?: string | undefined;
} & ({ readonly type: "printing" } | { readonly type: "stopped"; readonly reasons: readonly string[] });

/** What became of a job that was sent. */
export type JobOutcome =
  | { readonly type: "done"; readonly verification: Verification; readonly count: LabelCount }
  | {
      readonly type: "failed";
      readonly verification: Verification;
      readonly count: LabelCount;
      readonly error: JobFailure;
    }
  /** The connection or the bridge ended after the first byte, and nobody can tell what came out. */
  | {
      readonly type: "lost";
      readonly verification: Verification;
      readonly count: LabelCount;
      readonly error?: JobFailure;
    }
  /**
   * No byte of it was taken: the connection was dead before the first, or all of it was refused for now. With an error
   * the printer cannot be reached, and the job is given up in the end.
   */
  | { readonly type: "not-sent"; readonly reason?: string; readonly error?: JobFailure }
  /** The bridge is closing: the job stays what it is, and the next start finds out. */
  | { readonly type: "interrupted" };

/** What can happen to a job. */
export type JobEvent =
  | { readonly type: "ready"; readonly odometer: number | undefined; readonly device?: string | undefined }
  /** The printer is stopped, or connected and silent, before anything was sent. */
  | { readonly type: "not-ready"; readonly reasons: readonly string[] }
  /** The printer cannot be reached, or the job's own data cannot be read. */
  | { readonly type: "unreachable"; readonly error: JobFailure; readonly reason?: string }
  /** The bridge closes between the job's being marked as sending and its first byte. */
  | { readonly type: "withdrawn" }
  /** The printer does not speak the job's language any more. */
  | { readonly type: "unsuited" }
  /** The printer was removed, or has no address any more. */
  | { readonly type: "removed"; readonly count: LabelCount }
  /** The bridge has started again and finds the job as it was left. */
  | { readonly type: "restarted" }
  | JobProgress
  | JobOutcome;

/** What the queue does next. */
export type JobAction = "send" | "retry-now" | "retry-later" | "recover" | "wait" | "end" | "leave";

export interface JobStep {
  /** What is to be written before anything else happens; nothing where all stays as it was. */
  readonly change: JobChange | undefined;
  readonly action: JobAction;
  /** Since when the printer has not been reachable for this job, by the monotonic clock. */
  readonly unreachableSince: number | undefined;
}

export interface JobMoment {
  /** Milliseconds that only grow, whatever becomes of the time of day. */
  readonly now: number;
  readonly unreachableSince: number | undefined;
  /** How long a job at the head of its queue waits for a printer that cannot be reached. */
  readonly giveUpMs: number;
}

type EventOf<T extends JobEvent["type"]> = Extract<JobEvent, { type: T }>;
type Rule<E extends JobEvent> = (
  event: E,
  moment: JobMoment,
) => Omit<JobStep, "unreachableSince"> & {
  readonly unreachableSince?: number | undefined;
};

/** Goes into the journal, every event and every list of jobs: a sentence, whoever makes it. */
const MAX_MESSAGE = 500;

const brief = ({ code, message }: JobFailure): JobFailure => ({
  code,
  message: message.slice(0, MAX_MESSAGE),
});

const to = (phase: JobPhase, more: JobChange = {}): JobChange => ({
  ...PHASES[phase],
  reasons: [],
  ...more,
  ...(more.error ? { error: brief(more.error) } : {}),
});

/**
 * The printer is there: the job leaves. From now on a byte may have left. Only one that takes a byte was reachable:
 * until then the time towards giving up goes on.
 */
const send: Rule<EventOf<"ready">> = ({ odometer, device }, { unreachableSince }) => ({
  change: to("sending", { odometer, device }),
  action: "send",
  unreachableSince,
});

const hold: Rule<EventOf<"not-ready">> = ({ reasons }) => ({
  change: to("blocked", { reasons }),
  action: "retry-later",
});

/** Counted from the moment the printer became unreachable for this job, not from when the job was made. */
const waitOrGiveUp: Rule<EventOf<"unreachable">> = (
  { error, reason = "offline" },
  { now, unreachableSince = now, giveUpMs },
) =>
  now - unreachableSince > giveUpMs
    ? { change: { ...to("failed", { error }), started: false }, action: "end" }
    : { change: to("queued", { reasons: [reason] }), action: "retry-later", unreachableSince };

const HANGS_UP: EventOf<"unreachable"> = {
  type: "unreachable",
  reason: "connection-closed",
  error: {
    code: "PRINTER_OFFLINE",
    message:
      "The printer takes connections and closes them before it takes data; check whether another computer is printing to it.",
  },
};

/**
 * Nothing of it was taken: it goes back to its place, and to its place only. A connection that had died unseen is
 * made anew at once; a printer that closes the new one too is not reachable.
 */
const putBack: Rule<EventOf<"not-sent">> = ({ reason, error }, moment) => {
  if (error) return waitOrGiveUp({ type: "unreachable", error, ...(reason ? { reason } : {}) }, moment);
  if (reason !== undefined) return { change: to("blocked", { reasons: [reason] }), action: "retry-later" };
  if (moment.unreachableSince !== undefined) return waitOrGiveUp(HANGS_UP, moment);
  return { change: to("queued"), action: "retry-now", unreachableSince: moment.now };
};

const withdraw = () => ({ change: to("queued"), action: "leave" }) as const;

const progress: Rule<JobProgress> = (event) => ({
  change: to(event.type, {
    count: event.count,
    ...(event.type === "stopped" ? { reasons: event.reasons } : {}),
    ...("odometer" in event ? { odometer: event.odometer } : {}),
    ...(event.spoolerJob === undefined ? {} : { spoolerJob: event.spoolerJob }),
  }),
  action: "wait",
});

const end: Rule<EventOf<"done" | "failed" | "lost">> = (event) => ({
  change: to(event.type === "lost" ? "unknown" : event.type, {
    verification: event.verification,
    count: event.count,
    ...("error" in event && event.error ? { error: event.error } : {}),
  }),
  action: "end",
});

/** Nobody can find out what became of what was sent. */
const UNBOUND = { code: "PRINTER_UNBOUND", message: "The printer was removed before the job had ended." };
const giveUpUnsent = () =>
  ({ change: { ...to("failed", { error: UNBOUND }), started: false }, action: "end" }) as const;
const MISMATCH = {
  code: "LANGUAGE_MISMATCH",
  message: "The printer was given another language before the job was sent.",
};
const refuse = () =>
  ({ change: { ...to("failed", { error: MISMATCH }), started: false }, action: "end" }) as const;
const giveUpSent: Rule<EventOf<"removed">> = ({ count }) => ({
  change: to("unknown", { error: UNBOUND, verification: verifiedBy(count) }),
  action: "end",
});

/** Who tells that labels came out, of a job of which no more is known than them. */
const verifiedBy = ({ tags, printed }: LabelCount) => (tags ? "rfid" : printed > 0 ? "printer" : "none");

const leave = () => ({ change: undefined, action: "leave" }) as const;
const recover = () => ({ change: undefined, action: "recover" }) as const;
const takeUp = () => ({ change: undefined, action: "retry-now" }) as const;

type Rules = { readonly [T in JobEvent["type"]]?: Rule<EventOf<T>> };

const UNSENT: Rules = {
  ready: send,
  "not-ready": hold,
  unreachable: waitOrGiveUp,
  restarted: takeUp,
  unsuited: refuse,
  removed: giveUpUnsent,
  interrupted: leave,
};
const SENT: Rules = {
  printing: progress,
  stopped: progress,
  done: end,
  failed: end,
  lost: end,
  restarted: recover,
  removed: giveUpSent,
  interrupted: leave,
};

/** The table: what each event does to a job in each phase. What is not in it does nothing. */
export const TRANSITIONS: Readonly<Record<JobPhase, Rules>> = {
  queued: UNSENT,
  blocked: UNSENT,
  // Progress is told after the first byte, so a job that has made some was sent.
  sending: { ...SENT, "not-sent": putBack, withdrawn: withdraw },
  printing: SENT,
  stopped: SENT,
  done: {},
  failed: {},
  unknown: {},
};

/** What an event does to a job; undefined where it does nothing. */
export function advance(
  job: Pick<Job, "state" | "started" | "count">,
  event: JobEvent,
  moment: JobMoment,
): JobStep | undefined {
  const rule = TRANSITIONS[phaseOf(job)][event.type] as Rule<JobEvent> | undefined;
  if (!rule) return undefined;
  return { unreachableSince: undefined, ...rule(keepLabels(event, job.count), moment) };
}

/**
 * A label that was seen to be printed stays printed: after a restart or a broken connection a backend may know less
 * than the journal does.
 */
function keepLabels(event: JobEvent, before: LabelCount): JobEvent {
  if (!("count" in event)) return event;
  const { count } = event;
  const knowsLess = count.printed < before.printed || (count.tags?.length ?? 0) < (before.tags?.length ?? 0);
  if (!knowsLess) return event;
  if (event.type !== "lost") return { ...event, count: before };
  return { ...event, count: before, verification: verifiedBy(before) };
}
