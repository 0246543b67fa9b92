import { OVER, type Wait } from "../domain/backend.ts";
import type { Connect, Connection } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";

/**
 * A device of this machine that never blocks: a printer that has no paper takes nothing for hours, and
 * must not take a thread with it. Whoever asks too early gets "again" and comes back.
 */
export interface PolledDevice {
  read(buffer: Buffer): Promise<number | "again">;
  write(bytes: Uint8Array, from: number): Promise<number | "again">;
  /** Whether the device has everything that was written. */
  hasAll(): Promise<boolean>;
  /** How many bytes the system has not yet sent to the device, where it tells. */
  unsent?(): Promise<number>;
  /** Gives the device back; with `unsent` what it has not taken yet is thrown away first. */
  close(unsent: boolean): Promise<void>;
  /** A read lasts until bytes come or the line is closed, rather than answering "again". */
  readonly readLasts?: boolean;
}

export interface PolledOptions {
  readonly open: () => Promise<PolledDevice>;
  readonly wait: Wait;
  readonly connectMs: number;
}

const MIN_TURN_MS = 1;
const MAX_TURN_MS = 16;

/** Devices are opened by one at a time: who comes while the line is in use waits a while for it. */
export function polledTransport({ open, wait, connectMs }: PolledOptions): Connect {
  let inUse: Promise<void> = Promise.resolve();
  return async () => {
    const before = inUse;
    const { promise, resolve: giveBack } = Promise.withResolvers<void>();
    inUse = Promise.all([before, promise]).then(noop);
    const free = new AbortController();
    void before.then(() => free.abort(OVER));
    await wait(connectMs, free.signal);
    if (!free.signal.aborted) {
      giveBack();
      throw new BridgeError("TRANSPORT_TIMEOUT", "The printer is in use.");
    }
    try {
      return polledConnection(await open(), wait, giveBack);
    } catch (error) {
      giveBack();
      const { code, message } = error as NodeJS.ErrnoException;
      throw new BridgeError("PRINTER_OFFLINE", `The printer cannot be opened (${code ?? message}).`);
    }
  };
}

function polledConnection(line: PolledDevice, wait: Wait, closed: () => void): Connection {
  const closing = new AbortController();
  const endings: Array<() => void> = [];
  let onBytes: (bytes: Uint8Array) => void = noop;
  let written = 0;
  /** The writes so far: each is whole before the next begins, whatever pieces the device takes. */
  let writing: Promise<void> = Promise.resolve();
  let reading: Promise<void> | undefined;
  let gone: Promise<void> | undefined;

  /** Asks until the answer is not "again", ever less often. */
  async function ask<T>(question: () => Promise<T | "again">): Promise<T> {
    for (let turn = MIN_TURN_MS; ; turn = Math.min(MAX_TURN_MS, 2 * turn)) {
      if (closing.signal.aborted) throw new Error("the line is closed");
      const answer = await question();
      if (answer !== "again") return answer;
      await wait(turn, closing.signal);
    }
  }

  async function read(): Promise<void> {
    const buffer = Buffer.alloc(16 * 1024);
    try {
      for (;;) {
        const length = await ask(() => line.read(buffer));
        if (length > 0) onBytes(Buffer.from(buffer.subarray(0, length)));
        else await wait(MAX_TURN_MS, closing.signal);
      }
    } catch (error) {
      // A device that can only be written to says so when it is read: it is no worse for it.
      if ((error as NodeJS.ErrnoException).code !== "EINVAL") void close(true);
    }
  }

  function close(unsent: boolean): Promise<void> {
    gone ??= (async () => {
      closing.abort(OVER);
      for (const tell of endings.splice(0)) tell();
      if (!line.readLasts) await reading;
      await line.close(unsent).catch(noop);
      closed();
    })();
    return gone;
  }

  async function write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        const length = await ask(() => line.write(bytes, at));
        at += length;
        written += length;
      }
    } catch (error) {
      void close(true);
      throw error;
    }
  }

  return {
    write: (bytes) => {
      const turn = writing.then(() => write(bytes));
      writing = turn.catch(noop);
      return turn;
    },
    hasTakenAll: async () => {
      if (closing.signal.aborted) return undefined;
      return line.hasAll().catch(() => undefined);
    },
    progress: async () => `${written} ${closing.signal.aborted ? "" : await line.unsent?.()}`,
    // A device has no way to hang up: it has everything, or is waited for.
    end: async () => {
      await writing;
      await ask(async () => (await line.hasAll()) || "again");
      await close(false);
      return "closed";
    },
    destroy: () => void close(true),
    get broken() {
      return closing.signal.aborted;
    },
    onData: (listen) => {
      onBytes = listen;
      reading ??= read();
    },
    onEnd: (listen) => void (closing.signal.aborted ? listen() : endings.push(listen)),
  };
}

const noop = () => {};
