import { OVER, type Wait } from "../domain/backend.ts";
import type { Connect } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";
import type { DeviceStatus } from "../domain/printer.ts";
import {
  ConnectionBroken,
  openStatusDialogue,
  type Snapshot,
  type StatusDialogue,
} from "../zpl/status-dialogue.ts";
import { statusOf } from "./zpl-outcome.ts";

export interface ZplLinkOptions {
  readonly connect: Connect;
  readonly monotonic: () => number;
  readonly wait: Wait;
  readonly rfid: boolean;
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
  readonly odometer: number | undefined;
  /** As last heard, or as the job under way tells. */
  lastStatus: DeviceStatus | undefined;
  connected(): Promise<StatusDialogue>;
  ask(printer: StatusDialogue): Promise<Snapshot>;
  /** Throws PRINTER_OFFLINE where the printer takes no connection, or none for long. */
  status(): Promise<DeviceStatus>;
  drop(printer: StatusDialogue): void;
  /** Nothing waits: after a while the connection is given back. */
  idle(): void;
  /** A job is under way: the connection is kept. */
  keep(): void;
  close(): Promise<void>;
}

export function createZplLink(options: ZplLinkOptions): ZplLink {
  const { isBusy } = options;
  let dialogue: StatusDialogue | undefined;
  let connecting: Promise<StatusDialogue> | undefined;
  let lastOdometer: number | undefined;
  let lastStatus: DeviceStatus | undefined;
  let silentSince: number | undefined;
  let closed = false;
  let idling = new AbortController();

  async function connected(): Promise<StatusDialogue> {
    if (dialogue && !dialogue.broken) return dialogue;
    connecting ??= options
      .connect()
      .then((connection) => {
        if (closed) connection.destroy();
        dialogue = openStatusDialogue(connection, options);
        return dialogue;
      })
      .finally(() => {
        connecting = undefined;
      });
    return connecting;
  }

  async function ask(printer: StatusDialogue): Promise<Snapshot> {
    const snapshot = await printer.ask();
    lastOdometer = snapshot.odometer ?? lastOdometer;
    lastStatus = statusOf(snapshot);
    return snapshot;
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
    const snapshot = await ask(printer);
    const now = options.monotonic();
    silentSince = snapshot.answered ? undefined : (silentSince ?? now);
    if (silentSince !== undefined && now - silentSince > options.recoverMs && !isBusy()) {
      silentSince = undefined;
      if (dialogue === printer) dialogue = undefined;
      void printer.end();
    }
    return statusOf(snapshot);
  }

  function drop(printer: StatusDialogue): void {
    printer.destroy();
    if (dialogue === printer) dialogue = undefined;
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
    get lastStatus() {
      return lastStatus;
    },
    set lastStatus(status) {
      lastStatus = status;
    },
    connected,
    ask,
    status,
    drop,
    idle,
    keep: () => idling.abort(OVER),
    close: async () => {
      closed = true;
      idling.abort(OVER);
      const printer = dialogue;
      dialogue = undefined;
      await printer?.end();
    },
  };
}
