import { type Commands, command, type Row } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { Compile } from "typebox/compile";
import { completePrinter } from "../adapters/provisioning.ts";
import { type Feedback, type Language, PrinterRecord, type Transport } from "../domain/printer.ts";
import { removePrinter, savePrinter } from "../domain/printer-changes.ts";
import { assertAddress } from "../transports/addresses.ts";
import type { Configuration } from "./configuration.ts";

const Check = Compile(PrinterRecord);

const rowOf = ({ id, name, transport, address, languages, dpmm, rfid, feedback }: PrinterRecord): Row => ({
  id,
  name,
  transport,
  address,
  languages,
  dpmm,
  rfid,
  feedback,
});

/** The part of a printer that the command line names. */
function said(options: Readonly<Record<string, string | undefined>>, flags: ReadonlySet<string>) {
  const { transport, language, dpmm, name, address, feedback } = options;
  const { "width-mm": width, "height-mm": height } = options;
  return {
    ...(name ? { name } : {}),
    ...(transport ? { transport: transport as Transport } : {}),
    ...(address ? { address } : {}),
    ...(language ? { languages: language.split(",") as Language[] } : {}),
    ...(dpmm ? { dpmm: Number(dpmm) } : {}),
    ...(flags.has("rfid") ? { rfid: true } : flags.has("no-rfid") ? { rfid: false } : {}),
    ...(feedback ? { feedback: feedback as Feedback } : {}),
    ...(width ? { widthMm: Number(width) } : {}),
    ...(height ? { heightMm: Number(height) } : {}),
  };
}

export const printerCommands: Commands<Configuration> = {
  "printer add": command(
    "<id> [--transport <tcp>] [--address <host:port>] [--name <name>] [--language <zpl,…>] [--dpmm <8>] [--rfid] [--no-rfid] [--feedback <none|spooler|printer>] [--width-mm <101.6>] [--height-mm <152.4>]",
    "adds a printer, or changes one",
    async ({ registry, author }, [id = ""], options, flags) => {
      // What is not said of a printer that there is stays as it was; what it can tell goes by its transport.
      const before = registry.printers.get(id);
      const { feedback, ...kept } = before ?? { id, transport: "tcp" as const, feedback: undefined };
      const isSame = !options.transport && !options.language;
      const record = completePrinter({
        ...kept,
        ...(feedback && isSame ? { feedback } : {}),
        ...said(options, flags),
      });
      if (!Check.Check(record)) {
        const first = Check.Errors(record)[0];
        throw new StartProblem(
          `The printer's ${first?.instancePath.slice(1).replace("/", " ") || "description"} ${first?.message}.`,
        );
      }
      assertAddress(record);
      savePrinter(registry, record, author());
      return `${id} is ${before ? "changed" : "added"}. A running bridge knows it within a second.`;
    },
  ),
  "printer list": command("", "the printers", async ({ registry }, _words, _options, flags) => {
    const printers = registry.printers.all();
    if (flags.has("json")) return printers;
    return printers.length > 0 ? printers.map(rowOf) : "There is no printer yet.";
  }),
  "printer remove": command("<id>", "removes a printer", async ({ registry, author }, [id = ""]) => {
    if (!removePrinter(registry, id, author())) throw new StartProblem(`There is no printer "${id}".`);
    return `${id} is removed.`;
  }),
};
