import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../adapters/kept-file.ts";
import type { Courier, Ending, Parcel } from "../domain/courier.ts";
import type { Look, PrinterRecord } from "../domain/printer.ts";
import { zplFormats } from "../languages/zpl-formats.ts";
import type { LabelRenderer } from "./label-renderer.ts";

const READY: Look = { online: true, state: "ready", reasons: [], labelsRemaining: 0 };
const MOST_KEPT = 200;

/** The pictures that virtual printers made, in a folder for each. */
export function labelShelf(home: string) {
  const folder = (printer: string) => join(home, "virtual", printer);
  const names = (printer: string) => {
    try {
      return readdirSync(folder(printer))
        .filter((name) => name.endsWith(".png"))
        .sort()
        .reverse();
    } catch {
      return [];
    }
  };
  return {
    list: names,
    picture(printer: string, name: string): Uint8Array | undefined {
      return names(printer).includes(name) ? readFileSync(join(folder(printer), name)) : undefined;
    },
    put(printer: string, name: string, picture: Uint8Array): void {
      mkdirSync(folder(printer), { recursive: true, mode: 0o700 });
      writeWhole(join(folder(printer), name), picture, 0o600);
      for (const old of names(printer).slice(MOST_KEPT)) rmSync(join(folder(printer), old), { force: true });
    },
  };
}

export type LabelShelf = ReturnType<typeof labelShelf>;

/** A printer that is a folder: each label becomes a picture. A copy of a label is the same picture. */
export function createVirtualPrinter(options: {
  readonly printer: PrinterRecord;
  readonly renderer: LabelRenderer;
  readonly shelf: LabelShelf;
  /** Begins the name of each picture, so that names sort by age. */
  readonly stamp: () => string;
}): Courier {
  const { printer, shelf } = options;

  async function print(parcel: Parcel): Promise<Ending> {
    const text = Buffer.from(parcel.data).toString("utf8");
    const latin = Buffer.from(parcel.data).toString("latin1");
    const asked = parcel.labels;
    const stamp = options.stamp();
    try {
      const { widthMm, heightMm, dpmm } = printer;
      const pictures = await options.renderer.render({ zpl: text, widthMm, heightMm, dpmm });
      for (const [n, picture] of pictures.entries()) {
        shelf.put(printer.id, `${stamp}-${parcel.id}-${String(n + 1).padStart(4, "0")}.png`, picture);
      }
    } catch (error) {
      const failure = {
        code: "INTERNAL",
        message: `The label could not be drawn: ${(error as Error).message}`,
      };
      return { state: "Failed", verification: "printer", tally: { asked, printed: 0 }, error: failure };
    }
    const tags = parcel.rfid ? tagsOf(latin, parcel.copies) : undefined;
    const verification = tags ? "rfid" : "printer";
    return { state: "Done", verification, tally: { asked, printed: asked, ...(tags ? { tags } : {}) } };
  }

  return {
    isReady: () => true,
    baseline: () => undefined,
    prepare: async () => READY,
    look: async () => READY,
    deliver: (parcel) => {
      const ending = print(parcel);
      return { ending, handedOver: ending.then(() => {}) };
    },
    recover: async (parcel) => {
      // The last picture of a job is written last, so where it is, all are.
      const made = shelf.list(printer.id).filter((name) => name.includes(parcel.id)).length;
      const all =
        made > 0 &&
        made >=
          zplFormats(Buffer.from(parcel.data).toString("latin1")).filter(({ labels }) => labels > 0).length;
      const tally = { asked: parcel.labels, printed: all ? parcel.labels : 0 };
      return { state: all ? "Done" : "Unknown", verification: all ? "printer" : "none", tally };
    },
    rest: () => {},
    close: async () => {},
  };
}

/** A virtual tag takes whatever is written to it. */
function tagsOf(text: string, copies: number) {
  const formats = Array.from({ length: copies }, () => zplFormats(text)).flat();
  return formats
    .flatMap(({ labels, epc }) =>
      Array.from({ length: labels }, () => ({
        printed: true,
        encoded: epc !== undefined,
        voided: false,
        epc: epc ?? "",
      })),
    )
    .map((tag, index) => ({ index, ...tag }));
}
