import { OVER, type Wait } from "../domain/backend.ts";
import type { Connection } from "../domain/connection.ts";
import { READ_BACK_FIELD } from "./hazards.ts";
import { createReplyReader, errorReasons, type Reply, TAG_HEADER, TAG_TAIL } from "./replies.ts";

/** What the printer said when asked. What it did not say is not there. */
export interface Snapshot {
  readonly answered: boolean;
  readonly reasons: readonly string[];
  readonly odometer: number | undefined;
  readonly voids: number | undefined;
  readonly formatsWaiting: number;
  readonly labelsRemaining: number;
  readonly partialFormat: boolean;
}

export const ODOMETER = '! U1 getvar "odometer.total_label_count"\r\n';
const VOIDS = '! U1 getvar "odometer.rfid.void_resettable"\r\n';

export const isIdle = (snapshot: Snapshot) =>
  snapshot.answered &&
  snapshot.reasons.length === 0 &&
  snapshot.formatsWaiting === 0 &&
  snapshot.labelsRemaining === 0 &&
  !snapshot.partialFormat;

export class ConnectionBroken extends Error {
  override name = "ConnectionBroken";

  constructor() {
    super("the connection to the printer broke");
  }
}

export interface StatusDialogue {
  write(bytes: Uint8Array): Promise<void>;
  /** Asks how things are. A printer that says nothing in time has not answered. */
  ask(): Promise<Snapshot>;
  /** Hears the answer to an odometer query that the caller writes itself. */
  expectOdometer(onReply: (value: number | undefined) => void): void;
  /** The tags read back since last asked. */
  takeTags(): string[];
  readonly broken: boolean;
  /** Ends the connection, and cuts it where the printer does not hang up in time. */
  end(): Promise<void>;
  destroy(): void;
}

/** Tags read back and not yet taken: more than one job may have labels are not kept. */
const MAX_TAGS = 10_000;
/** Answers to one question; what a printer says beyond that is not listened to. */
const MAX_REPLIES = 100;

/** Bytes between two questions: the connection is closed on a device that sends more, so that reading it costs little. */
const MAX_UNASKED_BYTES = 1024 * 1024;

type Kind = "errors" | "buffer" | "head" | "variable";

/** Asks by ZPL's status commands over an open connection, and sorts what comes back. */
export function openStatusDialogue(
  connection: Connection,
  options: { readonly wait: Wait; readonly readMs: number; readonly rfid: boolean },
): StatusDialogue {
  const question = Buffer.from(`~HQES~HS${ODOMETER}${options.rfid ? VOIDS : ""}`, "latin1");
  const variablesAsked = options.rfid ? 2 : 1;
  let tags: string[] = [];
  /** Who waits for the next variable; answers come in the order of the questions. */
  let counters: Array<(value: number | undefined) => void> = [];
  /** What this firmware answers at all: learnt when it leaves something out. */
  let answers = new Set<Kind>(["errors", "buffer", "head", "variable"]);
  let onReply: (reply: Reply) => void = () => {};
  let onBreak: Array<() => void> = [];

  const read = createReplyReader((reply) => {
    if (reply.kind === "tag" && tags.length < MAX_TAGS) tags.push(reply.epc);
    else if (reply.kind === "variable") counters.shift()?.(counterOf(reply.value));
    onReply(reply);
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

  /** One question at a time: answers carry no name. */
  let asking: Promise<unknown> = Promise.resolve();
  function ask(): Promise<Snapshot> {
    const turn = asking.then(askNow);
    asking = turn.catch(() => {});
    return turn;
  }

  async function askNow(): Promise<Snapshot> {
    if (connection.broken) throw new ConnectionBroken();
    unaskedBytes = 0;
    const heard = new Set<Kind>();
    const found: Array<Reply> = [];
    const values: Array<number | undefined> = [];
    const enough = new AbortController();
    const check = () => {
      if (
        [...answers].every((kind) =>
          kind === "variable" ? values.length >= variablesAsked : heard.has(kind),
        )
      ) {
        enough.abort(OVER);
      }
    };
    onReply = (reply) => {
      if (reply.kind === "tag" || reply.kind === "variable") return;
      heard.add(reply.kind);
      if (found.length < MAX_REPLIES) found.push(reply);
      check();
    };
    for (let n = 0; n < variablesAsked; n++) {
      counters.push((value) => {
        heard.add("variable");
        values[n] = value;
        check();
      });
    }
    const broke = () => enough.abort(OVER);
    onBreak.push(broke);
    // A printer that is stopped may not take the question either: then it has not answered.
    const written = connection.write(question).catch(broke);
    await options.wait(options.readMs, enough.signal);
    onBreak = onBreak.filter((tell) => tell !== broke);
    onReply = () => {};
    if (connection.broken) throw new ConnectionBroken();
    if (heard.size === 0) counters = [];
    else if (!enough.signal.aborted) answers = heard;
    void written;
    return summary(heard.size > 0, found, values);
  }

  return {
    write: async (bytes) => {
      try {
        await connection.write(bytes);
      } catch {
        throw new ConnectionBroken();
      }
    },
    ask,
    expectOdometer: (onReply) => void counters.push(onReply),
    takeTags: () => {
      const taken = tags;
      tags = [];
      return taken;
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
  answered: boolean,
  found: readonly Reply[],
  values: ReadonlyArray<number | undefined>,
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
  const [odometer, voids] = values;
  return { answered, reasons: [...reasons], odometer, voids, formatsWaiting, labelsRemaining, partialFormat };
}

/** A counter's value; "?" is what a printer says of a variable it does not have. */
function counterOf(text: string): number | undefined {
  const digits = /^\s*(\d{1,15})/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** What is put into a format so that its tag is read back to us, and how many labels it may spend. */
export function instrumentedFormat(format: string, options: { tries: number | undefined }): string {
  const tries = options.tries === undefined ? "" : `^RS8,,,${options.tries}`;
  const readBack = `^FN${READ_BACK_FIELD}^RFR,H^FS^FH_^HV${READ_BACK_FIELD},64,${TAG_HEADER},${TAG_TAIL}_0D_0A,L^FS`;
  return `${format.slice(0, 3)}${tries}${format.slice(3, -3)}${readBack}${format.slice(-3)}`;
}
