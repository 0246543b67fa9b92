import type { TSchema } from "typebox";
import { ERRORS } from "../domain/errors.ts";
import { JobStatus } from "../domain/job.ts";
import { License } from "../domain/license.ts";
import { Limits } from "../domain/limits.ts";
import { Printer, PrinterStatus } from "../domain/printer.ts";
import { METHODS } from "./methods.ts";

type Described = TSchema & {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly not?: unknown;
};

/** The protocol as a page for people, from the same tables that the bridge runs on. */
export function protocolReference(): string {
  const methods = Object.entries(METHODS).flatMap(([name, { about, beforeAuth, params, result }]) => [
    `### \`${name}\``,
    "",
    `${about}${beforeAuth ? " Answered before `auth` too." : ""}`,
    "",
    ...fields("Params", params as Described),
    ...fields("Result", result as Described),
  ]);
  const records = Object.entries({ Printer, PrinterStatus, JobStatus, License, Limits }).flatMap(
    ([name, schema]) => [`### ${name}`, "", ...fields("", schema as Described)],
  );
  const errors = Object.entries(ERRORS).map(
    ([code, { retryable, about }]) => `| \`${code}\` | ${retryable ? "yes" : "no"} | ${about} |`,
  );
  return [
    "# Print protocol, version 1",
    "",
    "Generated from the schemas in `services/print/bridge/src`: `UPDATE_DOCS=1 npm test services/print/bridge/test/reference.test.ts` writes it anew.",
    "",
    "Frames are JSON text on `/ws`. A request is `{v: 1, id, method, params}`; its answer is `{v: 1, id, result}` or",
    "`{v: 1, id, error: {code, message, retryable, details?}}`; an event is `{v: 1, event, data, seq}`.",
    "",
    "## Methods",
    "",
    ...methods,
    "## Events",
    "",
    "| event | data |",
    "|---|---|",
    "| `job.update` | the job's JobStatus, whenever its state or its labels change |",
    "| `printer.status` | the printer's PrinterStatus, when it comes, goes, stops or goes on |",
    "",
    "`seq` grows over all events; a page sees the ones that are for it. Everything pushed is on disk first.",
    "",
    "## Records",
    "",
    ...records,
    "## Errors",
    "",
    "| code | try again | meaning |",
    "|---|---|---|",
    ...errors,
    "",
    "A job that failed carries `error` with one of these codes or with `LINE_BROKEN` (the line broke and the printer's counter",
    "says that nothing was printed), `LABELS_MISSING` (the printer is idle and printed fewer labels than asked), `RFID_MISMATCH`",
    "(a tag read back as something else) or `SPOOLER` (the spooler gave it up).",
    "",
  ].join("\n");
}

function fields(title: string, schema: Described): string[] {
  const entries = Object.entries(schema.properties ?? {});
  const head = title ? [`${title}:${entries.length === 0 ? " none." : ""}`, ""] : [];
  if (entries.length === 0) return head;
  const rows = entries.map(([name, value]) => {
    const optional = schema.required?.includes(name) ? "" : "?";
    return `| \`${name}${optional}\` | ${typeName(value)} | ${note(value)} |`;
  });
  return [...head, "| field | type | |", "|---|---|---|", ...rows, ""];
}

function typeName(schema: Described): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return schema.anyOf.map(typeName).join(" or ");
  if (schema.type === "array") return `list of ${typeName(schema.items ?? ({} as Described))}`;
  if (schema.properties) {
    return `{${Object.entries(schema.properties)
      .map(([name, value]) => `${name}: ${typeName(value)}`)
      .join("; ")}}`;
  }
  return schema.format ?? schema.type ?? "object";
}

function note(schema: Described): string {
  const parts = [
    schema.description,
    schema.default === undefined ? undefined : `default ${schema.default}`,
    schema.minimum === undefined || schema.minimum === 0 ? undefined : `at least ${schema.minimum}`,
    schema.maxLength === undefined ? undefined : `at most ${schema.maxLength} characters`,
    schema.maxItems === undefined ? undefined : `at most ${schema.maxItems}`,
  ];
  return parts.filter(Boolean).join("; ");
}
