import { parseArgs } from "node:util";
import { Compile } from "typebox/compile";
import { completePrinter } from "../adapters/provisioning.ts";
import { type Feedback, type Language, PrinterRecord, type Transport } from "../domain/printer.ts";
import { assertAddress } from "../transports/addresses.ts";
import { show, UsageError, withConfiguration } from "./configuration.ts";

const Check = Compile(PrinterRecord);

export const PRINTER_USAGE = `printer add <id> --transport tcp --address host:port [--name …] [--language zpl,…] [--dpmm 8]
                 [--rfid] [--feedback none|spooler|printer] [--width-mm 101.6] [--height-mm 152.4]
printer list [--json]
printer remove <id>`;

export async function printer(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      name: { type: "string" },
      transport: { type: "string", default: "tcp" },
      address: { type: "string" },
      language: { type: "string", default: "zpl" },
      dpmm: { type: "string", default: "8" },
      rfid: { type: "boolean", default: false },
      feedback: { type: "string" },
      "width-mm": { type: "string", default: "101.6" },
      "height-mm": { type: "string", default: "152.4" },
      json: { type: "boolean", default: false },
    },
  });
  const [verb, id] = positionals;
  if (verb === "list") {
    const printers = withConfiguration(({ registry }) => registry.printers.all());
    show(
      values.json
        ? printers
        : printers.map(({ id, name, transport, address, languages, dpmm, rfid, feedback }) => ({
            id,
            name,
            transport,
            address,
            languages: languages.join(","),
            dpmm,
            rfid,
            feedback,
          })),
      values.json,
      "There is no printer yet.",
    );
    return 0;
  }
  if (!id) throw new UsageError(PRINTER_USAGE);
  if (verb === "remove") {
    if (!withConfiguration(({ registry }) => registry.printers.remove(id)))
      throw new UsageError(`There is no printer "${id}".`);
    console.log(`${id} is removed.`);
    return 0;
  }
  if (verb !== "add") throw new UsageError(PRINTER_USAGE);
  const record = completePrinter({
    id,
    ...(values.name ? { name: values.name } : {}),
    transport: values.transport as Transport,
    ...(values.address ? { address: values.address } : {}),
    languages: values.language.split(",") as Language[],
    dpmm: Number(values.dpmm),
    rfid: values.rfid,
    ...(values.feedback ? { feedback: values.feedback as Feedback } : {}),
    widthMm: Number(values["width-mm"]),
    heightMm: Number(values["height-mm"]),
  });
  if (!Check.Check(record)) {
    const first = Check.Errors(record)[0];
    throw new UsageError(
      `The printer's ${first?.instancePath.slice(1).replace("/", " ") || "description"} ${first?.message}.`,
    );
  }
  assertAddress(record);
  withConfiguration(({ registry }) => registry.printers.put(id, record));
  console.log(`${id} is added. A running bridge knows it within a second.`);
  return 0;
}
