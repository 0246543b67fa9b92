import { shortName } from "@frontdesk/ui";
import type { Discovery, PrinterWritten } from "./api.ts";
import { blankPrinter, usualFeedback } from "./printer-form.tsx";
import { LANGUAGES, TRANSPORTS } from "./words/codes.ts";

type Found = Discovery["printers"][number];

/** Where a printer that was found is added: the form's address carries what is known. */
export function addFound({ name, transport, address, languages, dpmm }: Found): string {
  const known = new URLSearchParams({ name, transport, address, languages: languages.join(",") });
  if (dpmm) known.set("dpmm", String(dpmm));
  return `/printers/~new?${known}`;
}

/** The form as that address fills it in; nothing where it carries nothing. */
export function foundPrinter(search: string, taken: readonly string[]): PrinterWritten | undefined {
  const known = new URLSearchParams(search);
  const transport = known.get("transport") ?? "";
  if (!isOneOf<PrinterWritten["transport"]>(TRANSPORTS, transport)) return undefined;
  const languages = (known.get("languages") ?? "")
    .split(",")
    .filter((each) => isOneOf<PrinterWritten["languages"][number]>(LANGUAGES, each));
  const name = (known.get("name") ?? "").slice(0, 120);
  const dpmm = Number(known.get("dpmm"));
  return {
    ...blankPrinter,
    id: shortName(name, { taken, fallback: "printer", max: 64 }),
    name,
    transport,
    address: (known.get("address") ?? "").slice(0, 400),
    languages,
    feedback: usualFeedback(transport, languages),
    ...([6, 8, 12, 24].includes(dpmm) ? { dpmm } : {}),
  };
}

const isOneOf = <T extends string>(words: Readonly<Record<string, string>>, word: string): word is T =>
  Object.hasOwn(words, word);
