import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { Compile } from "typebox/compile";
import { saveTemplate, templateInfo } from "../domain/print-service.ts";
import { Language } from "../domain/printer.ts";
import { TemplateRecord } from "../domain/registry.ts";
import { recogniseLanguage } from "../languages/recognise.ts";
import { show, UsageError, withConfiguration } from "./configuration.ts";

const Check = Compile(TemplateRecord);
const IsLanguage = Compile(Language);

export const TEMPLATE_USAGE = `template add <id> --file label.zpl [--name …] [--language …] [--dpmm 8]
template list [--json]
template remove <id>`;

export async function template(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      file: { type: "string" },
      name: { type: "string" },
      language: { type: "string" },
      dpmm: { type: "string", default: "8" },
      json: { type: "boolean", default: false },
    },
  });
  const [verb, id] = positionals;
  if (verb === "list") {
    show(
      withConfiguration(({ registry }) =>
        registry.templates.all().map((record) => ({ ...templateInfo(record) })),
      ),
      values.json,
      "There is no template yet.",
    );
    return 0;
  }
  if (!id) throw new UsageError(TEMPLATE_USAGE);
  if (verb === "remove") {
    if (!withConfiguration(({ registry }) => registry.templates.remove(id)))
      throw new UsageError(`There is no template "${id}".`);
    console.log(`${id} is removed.`);
    return 0;
  }
  if (verb !== "add" || !values.file) throw new UsageError(TEMPLATE_USAGE);
  let body: string;
  try {
    body = readFileSync(values.file, "utf8");
  } catch (error) {
    throw new UsageError(`${values.file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const language = values.language ?? recogniseLanguage(Buffer.from(body));
  if (!IsLanguage.Check(language))
    throw new UsageError("What language this is cannot be told: say it with --language.");
  const record = { id, name: values.name ?? id, language, dpmm: Number(values.dpmm), body };
  if (!Check.Check({ ...record, version: 1 }))
    throw new UsageError("A template needs an id of letters and digits, a text, and --dpmm from 6 to 24.");
  const { version } = withConfiguration(({ registry }) => saveTemplate(registry, record, systemClock.now()));
  console.log(`${id} is kept as version ${version}.`);
  return 0;
}
