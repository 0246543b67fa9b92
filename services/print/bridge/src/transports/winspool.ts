import koffi from "koffi";
import { type Winspool, WinspoolError, type WinspoolJob } from "./windows-spooler.ts";

type Call = (...words: unknown[]) => Promise<number>;

/** The functions of winspool.drv, each run beside the event loop: a spooler may take its time. */
export function systemWinspool(): Winspool {
  const library = koffi.load("winspool.drv");
  const pointer = koffi.sizeof("void *");
  const document = koffi.struct({ name: "str16", output: "str16", datatype: "str16" });
  const named = (signature: string): Call => {
    const native = library.func(signature);
    return (...words) =>
      new Promise((resolve, reject) => {
        native.async(...words, (error: Error | null, result: number) =>
          error ? reject(error) : resolve(result),
        );
      });
  };
  const calls = {
    OpenPrinterW: named("int __stdcall OpenPrinterW(str16 name, _Out_ void **handle, void *defaults)"),
    ClosePrinter: named("int __stdcall ClosePrinter(void *handle)"),
    StartDocPrinterW: named(`uint32_t __stdcall StartDocPrinterW(void *handle, uint32_t level, void *info)`),
    EndDocPrinter: named("int __stdcall EndDocPrinter(void *handle)"),
    AbortPrinter: named("int __stdcall AbortPrinter(void *handle)"),
    StartPagePrinter: named("int __stdcall StartPagePrinter(void *handle)"),
    EndPagePrinter: named("int __stdcall EndPagePrinter(void *handle)"),
    WritePrinter: named(
      "int __stdcall WritePrinter(void *handle, const uint8_t *bytes, uint32_t size, _Out_ uint32_t *written)",
    ),
    GetPrinterW: named(
      "int __stdcall GetPrinterW(void *handle, uint32_t level, uint8_t *info, uint32_t size, _Out_ uint32_t *needed)",
    ),
    EnumJobsW: named(
      "int __stdcall EnumJobsW(void *handle, uint32_t first, uint32_t count, uint32_t level, uint8_t *info, uint32_t size, _Out_ uint32_t *needed, _Out_ uint32_t *returned)",
    ),
  };

  async function must(call: keyof typeof calls, ...words: unknown[]): Promise<number> {
    const result = await calls[call](...words);
    if (result === 0) throw new WinspoolError(call);
    return result;
  }

  async function opened<T>(printer: string, work: (handle: unknown) => Promise<T>): Promise<T> {
    const handle = [null];
    await must("OpenPrinterW", printer, handle, null);
    try {
      return await work(handle[0]);
    } finally {
      await calls.ClosePrinter(handle[0]);
    }
  }

  /** Asks how much room the answer needs, then for the answer: undefined where Windows has nothing to tell. */
  async function sized(
    call: "GetPrinterW" | "EnumJobsW",
    about: readonly unknown[],
    returned: readonly number[][] = [],
  ): Promise<Buffer | undefined> {
    const needed = [0];
    const isEmpty = (await calls[call](...about, null, 0, needed, ...returned)) !== 0;
    if (isEmpty) return undefined;
    if (!needed[0]) throw new WinspoolError(call);
    // The queue may have grown by the time it is asked again.
    const room = Buffer.alloc(2 * needed[0]);
    await must(call, ...about, room, room.length, needed, ...returned);
    return room;
  }

  return {
    printerStatus: (printer) =>
      opened(printer, async (handle) => {
        // Level 6 is the status alone.
        const room = await sized("GetPrinterW", [handle, 6]);
        if (!room) throw new WinspoolError("GetPrinterW");
        return room.readUInt32LE(0);
      }),
    submit: (printer, title, pieces) =>
      opened(printer, async (handle) => {
        const info = Buffer.alloc(koffi.sizeof(document));
        koffi.encode(info, document, { name: title, output: null, datatype: "RAW" });
        const job = await must("StartDocPrinterW", handle, 1, info);
        let isBrokenOff = false;
        try {
          await must("StartPagePrinter", handle);
          isBrokenOff = true;
          for (const piece of pieces) {
            for (let at = 0; at < piece.length; ) {
              const written = [0];
              await must("WritePrinter", handle, piece.subarray(at), piece.length - at, written);
              if (!written[0]) throw new WinspoolError("WritePrinter");
              at += Number(written[0]);
            }
          }
          await must("EndPagePrinter", handle);
          await must("EndDocPrinter", handle);
        } catch (error) {
          await calls.AbortPrinter(handle);
          throw error instanceof WinspoolError ? new WinspoolError(error.call, { isBrokenOff }) : error;
        }
        return job;
      }),
    jobs: (printer) =>
      opened(printer, async (handle) => {
        const returned = [0];
        const room = await sized("EnumJobsW", [handle, 0, ALL_JOBS, 1], [returned]);
        const textAt = (at: number): string => koffi.decode(room, at, "str16") ?? "";
        return room ? readJobs(room, Number(returned[0]), pointer, textAt) : new Map();
      }),
  };
}

const ALL_JOBS = 0xffffffff;

/**
 * JOB_INFO_1W: the number, six texts, of which the fourth is the document's name, the status, four more numbers, and a
 * time of 16 bytes; padded to whole pointers. `textAt` reads the text that the pointer at a place points to.
 */
export function readJobs(
  infos: Buffer,
  count: number,
  pointer: number,
  textAt: (at: number) => string,
): Map<number, WinspoolJob> {
  const status = 7 * pointer;
  const size = Math.ceil((status + 5 * 4 + 16) / pointer) * pointer;
  return new Map(
    Array.from({ length: count }, (_, n) => [
      infos.readUInt32LE(n * size),
      { status: infos.readUInt32LE(n * size + status), title: textAt(n * size + 4 * pointer) },
    ]),
  );
}
