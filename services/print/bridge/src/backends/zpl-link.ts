import { OVER, type Wait } from "../domain/backend.ts";
import type { Connect } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";
import type { DeviceStatus } from "../domain/printer.ts";
import { createAnsweredKinds } from "../zpl/answered-kinds.ts";
import {
  ConnectionBroken,
  openStatusDialogue,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";
import { awaitsMore, statusOf } from "./zpl-outcome.ts";

export interface ZplLinkOptions {
  readonly connect: Connect;
  readonly monotonic: () => number;
  readonly wait: Wait;
  readonly rfid: boolean;
  /** On a serial or USB line answers come on whatever connection there is; on others they end with the connection. */
  readonly answersOutlive: boolean;
  readonly readMs: number;
  /** How long the connection is kept when nothing waits. */
  readonly idleMs: number;
  /** How long a printer may be silent before it is asked on another connection, or away before a sent job is unknown. */
  readonly recoverMs: number;
  /** Whether a job is under way, which then has the connection to itself. */
  readonly isBusy: () => boolean;
}

/** The one connection to a printer that speaks ZPL both ways, made when it is needed, and what was last heard there. */
export interface ZplLink {
  /** The dialogue there is; its connection may have broken since. */
  readonly dialogue: StatusDialogue | undefined;
  /** The label counter as last heard, where nothing was being printed then. */
  readonly odometer: number | undefined;
  /** Whether the printer had labels left to print when it was last asked. */
  readonly isPrinting: boolean;
  /** Whether this printer ever told a label counter. */
  readonly hasCounter: boolean;
  /** Whether this printer was seen to read back a tag before its label was out. */
  readsBackFirst: boolean;
  /** Whether its label counter was seen to move by a voided label. */
  countsVoids: boolean;
  /** As last heard, or as the job under way tells. */
  lastStatus: DeviceStatus | undefined;
  connected(): Promise<StatusDialogue>;
  ask(printer: StatusDialogue): Promise<Snapshot>;
  /** Throws PRINTER_OFFLINE where the printer takes no connection, or none for long. */
  status(): Promise<DeviceStatus>;
  /**
   * The same connection, or another where questions on this one had no answer: answers that may still come there must
   * not be taken for others. Throws ConnectionBroken where there is none to be had.
   */
  renewed(printer: StatusDialogue): Promise<StatusDialogue>;
  /**
   * Whether the printer waited for `recoverMs` for the end of a label since the last job began, and was told to drop it.
   * What it still says of an unfinished label is then of another program, on a connection of its own, and not passed on.
   */
  readonly hasDropped: boolean;
  /**
   * Half of a job may be in the printer: until it is out of there, the printer takes no other. `pictureBytes`: as many
   * bytes of a picture it may wait for at most, and take whatever comes for them.
   */
  expectHalf(pictureBytes: number): void;
  /** Answers to questions that were asked past this link may still come. */
  expectStrayAnswers(): void;
  drop(printer: StatusDialogue): void;
  /** Nothing waits: after a while the connection is given back. */
  idle(): void;
  /** A job is under way: the connection is kept. */
  keep(): void;
  close(): Promise<void>;
}

/** Drops a format whose end has not come; formats that are complete go on. */
const CANCEL_PARTIAL_FORMAT = Buffer.from("~JX", "latin1");
/** What stands for the rest of a picture, piece by piece. Between commands printers pass over it. */
const BLANK = Buffer.alloc(4 * 1024);
/** Of what is sent to a printer that does not answer, a part may be lost with its connection. */
const BLANK_TIMES = 2;

export function createZplLink(options: ZplLinkOptions): ZplLink {
  const { isBusy } = options;
  const kinds = createAnsweredKinds();
  let dialogue: StatusDialogue | undefined;
  let connecting: Promise<StatusDialogue> | undefined;
  /** A connection that nobody may use yet. */
  let quieting: StatusDialogue | undefined;
  /** The dialogue that was opened last, also when it is closed. */
  let latest: StatusDialogue | undefined;
  /** Whether answers to earlier questions may come on the next connection. What an earlier run asked is not known. */
  let mayHearEarlier = options.answersOutlive;
  let lastOdometer: number | undefined;
  let isPrinting = false;
  let hasCounter = false;
  let lastStatus: DeviceStatus | undefined;
  let silentSince: number | undefined;
  /** Since when the printer says that nothing is wrong, and leaves out what it told before. */
  let lackingSince: number | undefined;
  let mayHoldHalf = false;
  let unfinishedSince: number | undefined;
  let hasDropped = false;
  let blankBytes = 0;
  let muteSince: number | undefined;
  /** The dialogue on which the rest of a picture was begun. */
  let blanking: StatusDialogue | undefined;
  let closed = false;
  let idling = new AbortController();

  async function connected(): Promise<StatusDialogue> {
    if (dialogue && !dialogue.broken) return dialogue;
    connecting ??= open();
    return connecting;
  }

  /**
   * A connection in place of a former one on which answers may still come. Where answers outlive a connection, they are
   * let pass before anybody uses it: the printer has just answered, so they come now. Where it was silent they come when
   * it goes on, so the connection begins with a question that was not answered, and is made anew with its first answer.
   */
  async function open(former?: StatusDialogue): Promise<StatusDialogue> {
    try {
      // Some printers take one connection at a time.
      await former?.end();
      const connection = await options.connect();
      if (closed) connection.destroy();
      if (options.answersOutlive && latest && latest.unanswered > 0) mayHearEarlier = true;
      const next = openStatusDialogue(connection, {
        ...options,
        kinds,
        mayHearEarlier: mayHearEarlier && !former,
      });
      latest = next;
      quieting = next;
      if (former) {
        await next.quiet();
        if (!next.broken) mayHearEarlier = false;
      }
      dialogue = closed ? undefined : next;
      return next;
    } finally {
      quieting = undefined;
      connecting = undefined;
    }
  }

  async function ask(printer: StatusDialogue): Promise<Snapshot> {
    const snapshot = await withoutHalf(printer, await printer.ask());
    isPrinting = snapshot.labelsRemaining > 0 || snapshot.formatsWaiting > 0;
    // An older counter than that of this answer is none: others may have printed since.
    if (snapshot.answered) lastOdometer = isPrinting ? undefined : snapshot.odometer;
    if (snapshot.odometer !== undefined) hasCounter = true;
    endPicture(printer, snapshot.answered);
    lastStatus = statusOf(snapshot, mayHoldHalf);
    boundLacking(printer, snapshot);
    return snapshot;
  }

  /**
   * Bounds how long a whole answer is waited for. Where it was heard on this connection, another one may bring it again;
   * where it was not, the printer does not have it. One that is stopped may leave it out for as long as it likes.
   */
  function boundLacking(printer: StatusDialogue, { isWell, isComplete }: Snapshot): void {
    const now = options.monotonic();
    lackingSince = isWell && !isComplete ? (lackingSince ?? now) : undefined;
    if (lackingSince === undefined || now - lackingSince <= options.recoverMs) return;
    lackingSince = undefined;
    if (printer.unanswered === 0) for (const kind of ["buffer", "head"] as const) kinds.unlearn(kind);
    else {
      drop(printer);
      throw new ConnectionBroken();
    }
  }

  /** Bounds how long a printer waits for the end of a label. At rest it is let wait: another program may be writing. */
  async function withoutHalf(printer: StatusDialogue, snapshot: Snapshot): Promise<Snapshot> {
    // Said by `~HS` itself: firmware may leave it out, and not have been heard before.
    if (snapshot.isComplete && snapshot.tellsWaiting && !snapshot.partialFormat) mayHoldHalf = false;
    if (hasDropped) return { ...snapshot, partialFormat: false };
    const now = options.monotonic();
    unfinishedSince =
      awaitsMore(snapshot) && (isBusy() || mayHoldHalf) ? (unfinishedSince ?? now) : undefined;
    if (unfinishedSince !== undefined && now - unfinishedSince > options.recoverMs) {
      unfinishedSince = undefined;
      await printer.write(CANCEL_PARTIAL_FORMAT);
      hasDropped = true;
      mayHoldHalf = false;
    }
    return snapshot;
  }

  /** A printer with half of a picture takes questions for the rest of it: the rest is sent, blank, until it answers. */
  function endPicture(printer: StatusDialogue, isAnswered: boolean): void {
    const now = options.monotonic();
    muteSince = isAnswered || !mayHoldHalf ? undefined : (muteSince ?? now);
    if (muteSince === undefined || now - muteSince <= options.recoverMs || blanking === printer) return;
    blanking = printer;
    void writeBlank(printer).catch(() => {});
  }

  async function writeBlank(printer: StatusDialogue): Promise<void> {
    while (muteSince !== undefined && blankBytes > 0) {
      const piece = BLANK.subarray(0, blankBytes);
      await printer.write(piece);
      blankBytes -= piece.length;
    }
  }

  async function status(): Promise<DeviceStatus> {
    // While a job is under way its own questions tell, and a second asker would only confuse the answers.
    if (isBusy() && lastStatus) return lastStatus;
    try {
      return await freshStatus();
    } catch (error) {
      if (!(error instanceof ConnectionBroken)) throw error;
    }
    // The printer hung up on a connection that was kept: a fresh one tells more.
    try {
      return await freshStatus();
    } catch (error) {
      if (!(error instanceof ConnectionBroken)) throw error;
      throw new BridgeError("PRINTER_OFFLINE", "The printer takes connections and hangs up at once.");
    }
  }

  /**
   * A printer that is silent for long may have been left in the middle of a command on this connection, by
   * noise or by itself: on the next one it reads from the beginning.
   */
  async function freshStatus(): Promise<DeviceStatus> {
    const printer = await connected();
    // A job may have begun while the connection was made: its data must not be interrupted by a question.
    if (isBusy() && lastStatus) return lastStatus;
    const snapshot = await ask(printer);
    if (isBusy()) return statusOf(snapshot, mayHoldHalf);
    if (snapshot.answered && printer.unanswered > 0) {
      const next = await renewed(printer);
      return statusOf(isBusy() ? snapshot : await ask(next), mayHoldHalf);
    }
    const now = options.monotonic();
    silentSince = snapshot.answered ? undefined : (silentSince ?? now);
    if (silentSince !== undefined && now - silentSince > options.recoverMs) {
      silentSince = undefined;
      if (dialogue === printer) dialogue = undefined;
      void printer.end();
    }
    return statusOf(snapshot, mayHoldHalf);
  }

  async function renewed(printer: StatusDialogue): Promise<StatusDialogue> {
    if (printer.unanswered === 0) return printer;
    if (dialogue === printer) {
      dialogue = undefined;
      connecting ??= open(printer);
    }
    return connected().catch(() => {
      throw new ConnectionBroken();
    });
  }

  function drop(printer: StatusDialogue): void {
    printer.destroy();
    if (dialogue === printer) dialogue = undefined;
  }

  /** Until it is asked again: what it was before a job, it is no more. */
  function noLongerReady(): void {
    if (lastStatus?.state === "ready") lastStatus = { ...lastStatus, state: "printing" };
  }

  function idle(): void {
    const printer = dialogue;
    idling.abort(OVER);
    idling = new AbortController();
    const { signal } = idling;
    void options.wait(options.idleMs, signal).then(() => {
      if (signal.aborted || isBusy() || !printer || dialogue !== printer) return;
      dialogue = undefined;
      void printer.end();
    });
  }

  return {
    get dialogue() {
      return dialogue;
    },
    get odometer() {
      return lastOdometer;
    },
    get isPrinting() {
      return isPrinting;
    },
    get hasCounter() {
      return hasCounter;
    },
    readsBackFirst: false,
    countsVoids: false,
    get lastStatus() {
      return lastStatus;
    },
    set lastStatus(status) {
      lastStatus = status;
    },
    connected,
    ask,
    status,
    renewed,
    get hasDropped() {
      return hasDropped;
    },
    expectHalf: (pictureBytes) => {
      mayHoldHalf = true;
      noLongerReady();
      blankBytes = BLANK_TIMES * pictureBytes;
      hasDropped = false;
    },
    expectStrayAnswers: () => {
      mayHearEarlier = options.answersOutlive;
    },
    drop,
    idle,
    keep: () => {
      idling.abort(OVER);
      hasDropped = false;
      noLongerReady();
    },
    close: async () => {
      closed = true;
      idling.abort(OVER);
      const printer = dialogue ?? quieting;
      dialogue = undefined;
      await printer?.end();
    },
  };
}
