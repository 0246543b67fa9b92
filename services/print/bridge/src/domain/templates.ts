import {
  assertNoZpl,
  checkTemplate,
  fillTemplate,
  placeholdersOf,
  templateUsesRfid,
  Unusable,
} from "../languages/template.ts";
import { BridgeError } from "./errors.ts";
import { assertSize } from "./job-admission.ts";
import type { Limits } from "./limits.ts";
import type { Language, PrinterRecord } from "./printer.ts";
import type { Registry, TemplateRecord } from "./registry.ts";

/** What is filled into one label: the first value for {{1}}. */
export interface TemplateLabel {
  readonly params: readonly string[];
}

export interface TemplateInfo {
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  readonly dpmm: number;
  readonly placeholders: number[];
  readonly rfid: boolean;
  readonly version: number;
}

export function templateInfo({ id, name, language, dpmm, body, version }: TemplateRecord): TemplateInfo {
  const rfid = templateUsesRfid(language, body);
  return { id, name, language, dpmm, placeholders: placeholdersOf(body), rfid, version };
}

/** Puts a template in its place as the next version of itself, or says what is wrong with it. */
export function saveTemplate(
  registry: Registry,
  template: Omit<TemplateRecord, "version">,
  now: number,
): TemplateRecord {
  try {
    checkTemplate(template.language, template.body);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new BridgeError("PROTOCOL_ERROR", error.message);
  }
  const current = registry.templates.get(template.id)?.version ?? 0;
  const last = registry.templateVersions.of(template.id)[0]?.template.version ?? 0;
  const saved = { ...template, version: Math.max(current, last) + 1 };
  registry.together(() => {
    registry.templates.put(template.id, saved);
    registry.templateVersions.add(saved, now);
  });
  return saved;
}

const NEWLINE = Buffer.from("\n");
const NOTHING = Buffer.alloc(0);

/** The labels of a request, filled one after another; nothing where a value is missing or cannot be printed. */
export function fillLabels(
  template: TemplateRecord,
  labels: readonly TemplateLabel[],
  printer: PrinterRecord,
  limits: Limits,
): Uint8Array {
  assertNoGaps(template, labels);
  const filled: Uint8Array[] = [];
  let size = 0;
  for (const [label, { params }] of labels.entries()) {
    const part = fill(template, params, label, printer);
    filled.push(part, template.language === "zpl" ? NEWLINE : NOTHING);
    size += part.length + 1;
    assertSize(size, limits);
  }
  return Buffer.concat(filled);
}

/** Every gap of every label, so that the caller can mend all at once. */
function assertNoGaps(template: TemplateRecord, labels: readonly TemplateLabel[]): void {
  const wanted = placeholdersOf(template.body);
  const missing = labels.flatMap(({ params }, label) => {
    const gaps = wanted.filter((number) => params[number - 1] === undefined);
    return gaps.length > 0 ? [{ label, placeholders: gaps }] : [];
  });
  if (missing.length === 0) return;
  throw new BridgeError("TEMPLATE_PARAMS_MISSING", "Some placeholders have no value; nothing was printed.", {
    missing,
  });
}

function fill(
  template: TemplateRecord,
  params: readonly string[],
  label: number,
  printer: PrinterRecord,
): Uint8Array {
  try {
    if (printer.languages.includes("zpl")) for (const value of params) assertNoZpl(template.language, value);
    return fillTemplate(template.language, template.body, params);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new BridgeError("PROTOCOL_ERROR", `A value of label ${label} ${error.message}.`, { label });
  }
}
