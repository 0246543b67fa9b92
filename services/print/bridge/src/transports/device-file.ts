import { constants, type FileHandle, open } from "node:fs/promises";
import type { Channel, OpenChannel } from "../domain/channel.ts";
import type { Wait } from "../domain/courier.ts";
import { BridgeError } from "../domain/errors.ts";

const TURN_MS = 15;
const AGAIN = new Set(["EAGAIN", "EWOULDBLOCK"]);

/**
 * A printer that is a file of the system, such as /dev/usb/lp0. The file never blocks: a printer
 * that has no paper takes nothing for hours, and must not take a thread with it.
 */
export function deviceFileTransport(options: { readonly path: string; readonly wait: Wait }): OpenChannel {
  return async () => {
    let file: FileHandle;
    try {
      file = await open(options.path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new BridgeError("PRINTER_OFFLINE", `The printer at ${options.path} cannot be opened (${code}).`);
    }
    return fileChannel(file, options.wait);
  };
}

function fileChannel(file: FileHandle, wait: Wait): Channel {
  const closing = new AbortController();
  const endings: Array<() => void> = [];
  let hear: (bytes: Uint8Array) => void = () => {};
  let reading: Promise<void> | undefined;

  function finish(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    for (const tell of endings.splice(0)) tell();
  }

  async function read(): Promise<void> {
    const buffer = Buffer.alloc(16 * 1024);
    while (!closing.signal.aborted) {
      try {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead > 0) hear(Buffer.from(buffer.subarray(0, bytesRead)));
        else await wait(TURN_MS, closing.signal);
      } catch (error) {
        if (!AGAIN.has((error as NodeJS.ErrnoException).code ?? "")) return finish();
        await wait(TURN_MS, closing.signal);
      }
    }
  }

  async function write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (closing.signal.aborted) throw new Error("the line is closed");
      try {
        const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      } catch (error) {
        if (!AGAIN.has((error as NodeJS.ErrnoException).code ?? "")) {
          finish();
          throw error;
        }
        await wait(TURN_MS, closing.signal);
      }
    }
  }

  async function close(): Promise<void> {
    finish();
    await reading;
    await file.close().catch(() => {});
  }

  return {
    write,
    // A file has no way to hang up: what it took, it took.
    end: close,
    destroy: () => void close(),
    get broken() {
      return closing.signal.aborted;
    },
    onData: (listen) => {
      hear = listen;
      reading ??= read();
    },
    onEnd: (listen) => void endings.push(listen),
  };
}
