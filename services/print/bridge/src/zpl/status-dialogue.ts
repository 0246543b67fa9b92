import { OVER, type Wait } from "../domain/backend.ts";
import type { Connection } from "../domain/connection.ts";
import { ANSWER_KINDS, type AnswerKind, type Counter, createAnswerOrder } from "./answer-order.ts";
import { type AnsweredKinds, createAnsweredKinds } from "./answered-kinds.ts";
import { READ_BACK_FIELD } from "./hazards.ts";
import { createReplyReader, errorReasons, type Reply, TAG_TAIL, tagHeader } from "./replies.ts";

/** What the printer said when asked. What it did not say is not there. */
export interface Snapshot {
  readonly answered: boolean;
  /** The question this is an answer to, or the oldest it may be an answer to; 0 where nothing was answered. */
  readonly question: number;
  /** The newest question that a part of it is an answer to: newer than `question` where the firmware dropped answers. */
  readonly newest: number;
  /** Whether it tells what waits to be printed, where the firmware ever did: some leave it out while they are stopped. */
  readonly isComplete: boolean;
  /** Whether the firmware ever told what waits to be printed: without `~HS` a printer that prints seems to rest. */
  readonly tellsWaiting: boolean;
  /** Whether it says that nothing is wrong. */
  readonly isWell: boolean;
  readonly reasons: readonly string[];
  readonly odometer: number | undefined;
  /** Whether the counter is of the newest question: then it was read after what is left. */
  readonly isCounterNewest: boolean;
  readonly voids: number | undefined;
  readonly formatsWaiting: number;
  readonly labelsRemaining: number;
  readonly partialFormat: boolean;
}

/** The questions about counters, in the order they are asked. */
const COUNTERS: ReadonlyArray<[counter: Counter, question: string]> = [
  ["odometer", '! U1 getvar "odometer.total_label_count"\r\n'],
  ["voids", '! U1 getvar "odometer.rfid.void_resettable"\r\n'],
];

export const isIdle = (snapshot: Snapshot) =>
  snapshot.isComplete &&
  snapshot.reasons.length === 0 &&
  snapshot.formatsWaiting === 0 &&
  snapshot.labelsRemaining === 0 &&
  !snapshot.partialFormat;

/** Neither what is left to print nor whether anything is wrong: some firmware is silent while it is stopped. */
export const isSilent = (snapshot: Snapshot) =>
  !snapshot.isComplete && !snapshot.isWell && snapshot.reasons.length === 0;

export class ConnectionBroken extends Error {
  override name = "ConnectionBroken";

  constructor() {
    super("the connection to the printer broke");
  }
}

export interface StatusDialogue {
  write(bytes: Uint8Array): Promise<void>;
  /** Changes whenever the printer takes more of what was written. */
  progress(): Promise<string>;
  /** Asks how things are. A printer that says nothing in time has not answered. */
  ask(): Promise<Snapshot>;
  /** How many questions were asked: one that is asked from now on has a higher number. */
  readonly asked: number;
  /** How many questions lacked an answer in time and since: their answers may still come, or were dropped. */
  readonly unanswered: number;
  /**
   * A question for the odometer that the caller writes before a job, and how its answer is heard. It is not heard where
   * an earlier one is missing: then nobody can tell which answer is that of this question. `forget` is for when the
   * printer has been silent since.
   */
  odometerQuestion(onReply: (value: number | undefined) => void): { bytes: Uint8Array; forget: () => void };
  /** The tags of a format that were read back since last asked; those of others are passed over. */
  takeTags(key: string): string[];
  /** Resolves when the printer has said nothing for a while. */
  quiet(): Promise<void>;
  readonly broken: boolean;
  /** Ends the connection, and cuts it where the printer does not hang up in time. */
  end(): Promise<void>;
  destroy(): void;
}

export interface StatusDialogueOptions {
  readonly wait: Wait;
  readonly readMs: number;
  readonly rfid: boolean;
  /** What this printer's firmware was found to answer on earlier connections. */
  readonly kinds?: AnsweredKinds;
  /** Whether answers to questions from before this connection may come on it. */
  readonly mayHearEarlier?: boolean;
}

/** Tags read back and not yet taken: more than one job may have labels are not kept. */
const MAX_TAGS = 10_000;
/** Answers to one question; what a printer says beyond that is not listened to. */
const MAX_REPLIES = 100;

/** Bytes between two questions: the connection is closed on a device that sends more, so that reading it costs little. */
const MAX_UNASKED_BYTES = 1024 * 1024;

/**
 * A printer that is silent is asked less and less often, since it may answer all of it later: the time between two
 * questions is at most this part of the silence. Firmware that drops questions while it is stopped says nothing of its
 * own when it goes on, so the time has an upper end.
 */
const SILENT_PART = 32;
const MAX_SILENT_MS = 10_000;

/** Asks by ZPL's status commands over an open connection, and sorts what comes back. */
export function openStatusDialogue(connection: Connection, options: StatusDialogueOptions): StatusDialogue {
  const { kinds = createAnsweredKinds() } = options;
  const variables = COUNTERS.filter(([counter]) => counter === "odometer" || options.rfid);
  const counters = variables.map(([counter]) => counter);
  const variableQuestion = variables.map(([, question]) => question).join("");
  const question = Buffer.from(`~HQES~HS${variableQuestion}`, "latin1");
  const maxSilentRounds = Math.max(1, Math.floor(MAX_SILENT_MS / options.readMs));
  const order = createAnswerOrder();
  if (options.mayHearEarlier) order.ask(counters);
  let tags: Array<Extract<Reply, { kind: "tag" }>> = [];
  /** Hears the answers while somebody asks. */
  let onReply: (reply: Reply, question: number, counter: Counter | undefined) => void = () => {};
  let onBreak: Array<() => void> = [];

  const read = createReplyReader((reply) => {
    if (reply.kind === "tag") {
      if (tags.length < MAX_TAGS) tags.push(reply);
      return;
    }
    kinds.heard(reply.kind);
    const attributed = order.attribute(reply);
    if (attributed) onReply(reply, attributed.question, attributed.counter);
  });
  let unaskedBytes = 0;
  connection.onData((bytes) => {
    unaskedBytes += bytes.length;
    if (unaskedBytes > MAX_UNASKED_BYTES) connection.destroy();
    else read(bytes);
  });
  connection.onEnd(() => {
    for (const tell of onBreak.splice(0)) tell();
  });

  /** One question at a time. */
  let asking: Promise<unknown> = Promise.resolve();
  let isAsking = false;
  function ask(): Promise<Snapshot> {
    const turn = asking.then(askNow);
    asking = turn.catch(() => {});
    return turn;
  }

  /** Rounds of silence on end, and in which of them the printer is asked again. */
  let silentRounds = 0;
  let nextQuestion = 0;

  async function askNow(): Promise<Snapshot> {
    if (connection.broken) throw new ConnectionBroken();
    unaskedBytes = 0;
    const heard = new Set<AnswerKind>();
    const found: Array<Reply> = [];
    const values: Partial<Record<Counter, number | undefined>> = {};
    let oldest = Number.POSITIVE_INFINITY;
    let newest = 0;
    let odometerOf = 0;
    const enough = new AbortController();
    const has = (kind: AnswerKind) =>
      kind === "variable" ? counters.every((counter) => counter in values) : heard.has(kind);
    onReply = (reply, of, counter) => {
      heard.add(reply.kind as AnswerKind);
      oldest = Math.min(oldest, of);
      newest = Math.max(newest, of);
      if (counter === "odometer") odometerOf = of;
      if (reply.kind === "variable") values[counter as Counter] = counterOf(reply.value);
      else if (found.length < MAX_REPLIES) found.push(reply);
      if (ANSWER_KINDS.every((kind) => has(kind) || !kinds.expects(kind))) enough.abort(OVER);
    };
    const broke = () => enough.abort(OVER);
    onBreak.push(broke);
    isAsking = true;
    const asks = silentRounds >= nextQuestion;
    if (asks) {
      nextQuestion = silentRounds + Math.min(maxSilentRounds, 1 + Math.floor(silentRounds / SILENT_PART));
      order.ask(counters);
      // A printer that is stopped may not take the question either: then it has not answered.
      connection.write(question).catch(broke);
    }
    await options.wait(options.readMs, enough.signal);
    isAsking = false;
    onBreak = onBreak.filter((tell) => tell !== broke);
    onReply = () => {};
    if (connection.broken) throw new ConnectionBroken();
    const answered = heard.size > 0;
    silentRounds = answered ? 0 : silentRounds + 1;
    if (answered) nextQuestion = 0;
    if (answered && asks && !enough.signal.aborted)
      kinds.missed(ANSWER_KINDS.filter((kind) => !heard.has(kind)));
    const isComplete =
      answered && (["buffer", "head"] as const).every((kind) => heard.has(kind) || !kinds.has(kind));
    const tellsWaiting = kinds.has("buffer") && kinds.has("head");
    // Where one of two variables is missing, the other may be either.
    const told = counters.length === 1 || order.variablesTold === order.asked ? values : {};
    const isCounterNewest = odometerOf === newest;
    const oldestQuestion = answered ? oldest : 0;
    return summary(
      { question: oldestQuestion, newest, isCounterNewest, isComplete, tellsWaiting, ...told },
      found,
    );
  }

  return {
    write: async (bytes) => {
      try {
        await connection.write(bytes);
      } catch {
        throw new ConnectionBroken();
      }
    },
    progress: () => connection.progress(),
    ask,
    get asked() {
      return order.asked;
    },
    get unanswered() {
      // One that is being asked has its time yet. How many came before this connection, nobody knows.
      return Math.max(options.mayHearEarlier ? 1 : 0, order.unanswered - (isAsking ? 1 : 0));
    },
    odometerQuestion: (onReply) => {
      const isAfterAll = order.variablesTold >= order.asked - (isAsking ? 1 : 0);
      const forget = order.askWithJob(counters, (text) => onReply(counterOf(text)));
      if (!isAfterAll) forget();
      return { bytes: Buffer.from(variableQuestion, "latin1"), forget };
    },
    takeTags: (key) => {
      const taken = tags.filter((tag) => tag.key === key);
      tags = [];
      return taken.map(({ epc }) => epc);
    },
    quiet: async () => {
      for (let before = -1; before !== unaskedBytes && !connection.broken; ) {
        before = unaskedBytes;
        await options.wait(options.readMs);
      }
    },
    get broken() {
      return connection.broken;
    },
    end: async () => {
      const ended = new AbortController();
      void connection.end().then(
        () => ended.abort(OVER),
        () => ended.abort(OVER),
      );
      await options.wait(options.readMs, ended.signal);
      connection.destroy();
    },
    destroy: () => connection.destroy(),
  };
}

function summary(
  {
    question,
    newest,
    isCounterNewest,
    isComplete,
    tellsWaiting,
    odometer,
    voids,
  }: Pick<Snapshot, "question" | "newest" | "isCounterNewest" | "isComplete" | "tellsWaiting"> &
    Partial<Record<Counter, number | undefined>>,
  found: readonly Reply[],
): Snapshot {
  const reasons = new Set<string>();
  let formatsWaiting = 0;
  let labelsRemaining = 0;
  let partialFormat = false;
  for (const reply of found) {
    if (reply.kind === "errors") for (const reason of errorReasons(reply.errors)) reasons.add(reason);
    if (reply.kind === "buffer") {
      if (reply.paperOut) reasons.add("paper-out");
      if (reply.paused) reasons.add("paused");
      if (reply.tooHot) reasons.add("head-too-hot");
      formatsWaiting = reply.formatsWaiting;
      partialFormat = reply.partialFormat;
    }
    if (reply.kind === "head") {
      if (reply.headOpen) reasons.add("head-open");
      if (reply.ribbonOut) reasons.add("ribbon-out");
      labelsRemaining = reply.labelsRemaining;
    }
  }
  return {
    answered: question > 0,
    question,
    newest,
    isComplete,
    tellsWaiting,
    isWell: reasons.size === 0 && found.some(({ kind }) => kind === "errors"),
    reasons: [...reasons],
    odometer,
    isCounterNewest,
    voids,
    formatsWaiting,
    labelsRemaining,
    partialFormat,
  };
}

/** A counter's value; "?" is what a printer says of a variable it does not have. */
function counterOf(text: string): number | undefined {
  const digits = /^\s*(\d{1,15})/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** What is put into a format so that its tag is read back to us under its key, and how many labels it may spend. */
export function instrumentedFormat(
  format: string,
  options: { readonly key: string; readonly tries: number | undefined },
): string {
  const tries = options.tries === undefined ? "" : `^RS8,,,${options.tries}`;
  const readBack = `^FN${READ_BACK_FIELD}^RFR,H^FS^FH_^HV${READ_BACK_FIELD},64,${tagHeader(options.key)},${TAG_TAIL}_0D_0A,L^FS`;
  // The last field of the format may lack its end.
  return `${format.slice(0, 3)}${tries}${format.slice(3, -3)}^FS${readBack}${format.slice(-3)}`;
}
