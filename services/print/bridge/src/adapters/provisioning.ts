import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { StartProblem } from "@frontdesk/kit/problem";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { readOrigin } from "../domain/access.ts";
import type { Author } from "../domain/audit.ts";
import { BridgeError } from "../domain/errors.ts";
import { originSaved, tokenName } from "../domain/origin-changes.ts";
import { defaultFeedback, Feedback, Language, PrinterRecord, Transport } from "../domain/printer.ts";
import { savePrinter } from "../domain/printer-changes.ts";
import { ALL_RIGHTS, type OriginRecord, type Registry, Rights, TemplateRecord } from "../domain/registry.ts";
import { isSameText, saveTemplate } from "../domain/templates.ts";
import { assertAddress } from "../transports/addresses.ts";

const closed = { additionalProperties: false } as const;

/** What a fleet's configuration file may hold. */
export const Provisioning = Type.Object(
  {
    printers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: PrinterRecord.properties.id,
            name: Type.Optional(PrinterRecord.properties.name),
            transport: Transport,
            address: Type.Optional(Type.String({ maxLength: 400 })),
            languages: Type.Optional(Type.Array(Language, { minItems: 1 })),
            dpmm: Type.Optional(PrinterRecord.properties.dpmm),
            rfid: Type.Optional(Type.Boolean()),
            feedback: Type.Optional(Feedback),
            widthMm: Type.Optional(PrinterRecord.properties.widthMm),
            heightMm: Type.Optional(PrinterRecord.properties.heightMm),
          },
          closed,
        ),
      ),
    ),
    templates: Type.Optional(Type.Array(Type.Omit(TemplateRecord, ["version"]))),
    origins: Type.Optional(
      Type.Array(
        Type.Object(
          {
            origin: Type.String(),
            tokenSha256: Type.Optional(Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }))),
            printers: Type.Optional(Type.Record(Type.String(), Type.String())),
            rights: Type.Optional(Rights),
            open: Type.Optional(Type.Boolean()),
          },
          closed,
        ),
      ),
    ),
  },
  closed,
);
type Provisioning = Static<typeof Provisioning>;
type PrinterEntry = NonNullable<Provisioning["printers"]>[number];

const Check = Compile(Provisioning);

/** A printer with everything that was not said filled in. */
export function completePrinter(entry: PrinterEntry): PrinterRecord {
  const languages = entry.languages ?? ["zpl"];
  return {
    id: entry.id,
    name: entry.name ?? entry.id,
    transport: entry.transport,
    address: entry.address ?? "",
    languages,
    dpmm: entry.dpmm ?? 8,
    rfid: entry.rfid ?? false,
    feedback: entry.feedback ?? defaultFeedback(entry.transport, languages),
    widthMm: entry.widthMm ?? 101.6,
    heightMm: entry.heightMm ?? 152.4,
  };
}

/** What an earlier start set up of the file: where it is gone since, somebody has revoked it here. */
interface Given {
  readonly origins: readonly string[];
  readonly tokens: readonly string[];
}
const GIVEN = "provisioned";

/**
 * Sets up what a fleet's file says, all or nothing. What is there already and not named is left as it is; what was
 * denied or revoked on this machine stays so. Answers which origins were left out for that.
 */
export function provision(
  registry: Registry,
  path: string,
  now: number,
): { readonly left: readonly string[] } {
  const unusable = (why: string) =>
    new StartProblem(`PRINT_CONFIG names ${path}, which cannot be used: ${why}.`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw unusable((error as Error).message);
  }
  if (!Check.Check(value)) {
    const first = Check.Errors(value)[0];
    throw unusable(`${first?.instancePath || "it"} ${first?.message}`);
  }
  const twice = namedTwice(value);
  if (twice) throw unusable(`${twice} is in it twice`);
  try {
    return registry.together(() => apply(registry, value, now));
  } catch (error) {
    if (error instanceof BridgeError) throw unusable(error.message.replace(/\.$/, ""));
    throw error;
  }
}

/** Of two entries for one thing the second would win, and at every start be written again. */
function namedTwice({ printers = [], templates = [], origins = [] }: Provisioning): string | undefined {
  const names = [
    ...printers.map(({ id }) => `the printer "${id}"`),
    ...templates.map(({ id }) => `the template "${id}"`),
    ...origins.map(({ origin }) => `the origin "${URL.parse(origin)?.origin ?? origin}"`),
    ...origins.flatMap(({ tokenSha256 = [] }) => tokenSha256.map((hash) => `the token ${tokenName(hash)}…`)),
  ];
  return names.find((name, at) => names.indexOf(name) < at);
}

/** What is so already is not written again. */
function apply(
  registry: Registry,
  { printers = [], templates = [], origins = [] }: Provisioning,
  now: number,
): { readonly left: readonly string[] } {
  const by: Author = { actor: "config", at: now };
  for (const entry of printers) {
    const printer = completePrinter(entry);
    assertAddress(printer);
    if (!isDeepStrictEqual(registry.printers.get(printer.id), printer)) savePrinter(registry, printer, by);
  }
  for (const template of templates) {
    const before = registry.templates.get(template.id);
    if (!before || !isSameText(before, template)) saveTemplate(registry, template, by);
  }
  return { left: applyOrigins(registry, origins, by) };
}

function applyOrigins(
  registry: Registry,
  origins: NonNullable<Provisioning["origins"]>,
  by: Author,
): string[] {
  const given: Given = JSON.parse(registry.settings.get(GIVEN) ?? '{"origins":[],"tokens":[]}');
  const left: string[] = [];
  const named = origins.map((entry) => ({ ...entry, name: readOrigin(entry.origin) }));
  for (const { name, tokenSha256 = [], printers: aliases, rights = ALL_RIGHTS, open = false } of named) {
    const before = registry.origins.get(name);
    if (before ? before.state === "denied" : given.origins.includes(name)) {
      left.push(name);
      continue;
    }
    const record: OriginRecord = {
      origin: name,
      state: "approved",
      ...(aliases ? { aliases } : {}),
      rights,
      open,
      createdAt: before?.createdAt ?? by.at,
    };
    if (!isDeepStrictEqual(before, record)) {
      registry.origins.put(name, record);
      registry.audit.add(originSaved(before, record, by));
    }
    for (const hash of tokenSha256) {
      const token = registry.tokens.get(hash);
      const isRevoked = given.tokens.includes(hash) && !token;
      if (isRevoked || token?.origin === name) continue;
      registry.tokens.put(hash, { hash, origin: name, createdAt: by.at });
      registry.audit.add({
        ...by,
        action: "token.issued",
        subject: name,
        detail: { token: tokenName(hash) },
      });
    }
  }
  const tokens = named.flatMap(({ tokenSha256 = [] }) => tokenSha256);
  const next: Given = { origins: named.map(({ name }) => name), tokens };
  registry.settings.put(GIVEN, JSON.stringify(next));
  return left;
}

/** On the very first start there is a printer to try things on; whoever removes it is not given it again. */
export function addFirstPrinter(registry: Registry, now: number): void {
  if (registry.settings.get("welcomed")) return;
  registry.together(() => {
    registry.settings.put("welcomed", "yes");
    if (registry.printers.all().length > 0) return;
    const printer = completePrinter({ id: "virtual", name: "Virtual printer", transport: "virtual" });
    savePrinter(registry, printer, { actor: "bridge", at: now });
  });
}
