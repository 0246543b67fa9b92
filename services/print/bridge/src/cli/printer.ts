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

export const printerCommands: Commands<Configuration> = {
  "printer add": command(
    "<id> [--transport <tcp>] [--address <host:port>] [--name <name>] [--language <zpl,…>] [--dpmm <8>] [--rfid] [--feedback <none|spooler|printer>] [--width-mm <101.6>] [--height-mm <152.4>]",
    "adds a printer, or changes one",
    async ({ registry, author }, [id = ""], options, flags) => {
      const { transport = "tcp", language = "zpl", dpmm = "8", name, address, feedback } = options;
      const record = completePrinter({
        id,
        ...(name ? { name } : {}),
        transport: transport as Transport,
        ...(address ? { address } : {}),
        languages: language.split(",") as Language[],
        dpmm: Number(dpmm),
        rfid: flags.has("rfid"),
        ...(feedback ? { feedback: feedback as Feedback } : {}),
        widthMm: Number(options["width-mm"] ?? "101.6"),
        heightMm: Number(options["height-mm"] ?? "152.4"),
      });
      if (!Check.Check(record)) {
        const first = Check.Errors(record)[0];
        throw new StartProblem(
          `The printer's ${first?.instancePath.slice(1).replace("/", " ") || "description"} ${first?.message}.`,
        );
      }
      assertAddress(record);
      savePrinter(registry, record, author());
      return `${id} is added. A running bridge knows it within a second.`;
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
