import {
  assertNoZpl,
  checkTemplate,
  fillTemplate,
  placeholdersOf,
  templateUsesRfid,
  Unusable,
} from "../languages/template.ts";
import type { Author } from "./audit.ts";
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

const MAX_INFOS = 1_000;

/** Reads each version of a template once: bodies may be large, and pages ask as often as they like. */
export function rememberedTemplateInfo(): (template: TemplateRecord) => TemplateInfo {
  const infos = new Map<string, TemplateInfo>();
  return (template) => {
    const key = JSON.stringify([template.id, template.version]);
    const known = infos.get(key);
    if (known) return known;
    if (infos.size >= MAX_INFOS) infos.clear();
    const info = templateInfo(template);
    infos.set(key, info);
    return info;
  };
}

/** Puts a template in its place as the next version of itself, or says what is wrong with it. */
export function saveTemplate(
  registry: Registry,
  template: Omit<TemplateRecord, "version">,
  { actor, at }: Author,
): TemplateRecord {
  try {
    checkTemplate(template.language, template.body);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new BridgeError("PROTOCOL_ERROR", error.message);
  }
  return registry.together(() => {
    const current = registry.templates.get(template.id);
    const versions = registry.templateVersions.of(template.id);
    const last = versions[0]?.template.version ?? 0;
    const saved = { ...template, version: Math.max(current?.version ?? 0, last) + 1 };
    const same = versions.find(({ template: earlier }) => isSameText(earlier, template))?.template.version;
    const isRestored = same !== undefined && same !== current?.version;
    registry.templates.put(template.id, saved);
    registry.templateVersions.add(saved, at);
    registry.audit.add({
      at,
      actor,
      action: isRestored ? "template.restored" : "template.saved",
      subject: template.id,
      detail: { version: saved.version, ...(isRestored ? { same_as: same } : {}) },
    });
    return saved;
  });
}

export function removeTemplate(registry: Registry, id: string, { actor, at }: Author): boolean {
  return registry.together(() => {
    const removed = registry.templates.remove(id);
    if (removed) registry.audit.add({ at, actor, action: "template.removed", subject: id });
    return removed;
  });
}

/** Whether two versions print the same under the same name. */
export const isSameText = (
  one: Omit<TemplateRecord, "version">,
  other: Omit<TemplateRecord, "version">,
): boolean =>
  one.name === other.name &&
  one.language === other.language &&
  one.dpmm === other.dpmm &&
  one.body === other.body;

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
