import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { Compile } from "typebox/compile";
import { Language } from "../domain/printer.ts";
import { TemplateRecord } from "../domain/registry.ts";
import { removeTemplate, saveTemplate, templateInfo } from "../domain/templates.ts";
import { recogniseLanguage } from "../languages/recognise.ts";
import { type Configuration, fileText } from "./configuration.ts";

const Check = Compile(TemplateRecord);
const IsLanguage = Compile(Language);

export const templateCommands: Commands<Configuration> = {
  "template add": command(
    "<id> --file <label.zpl> [--name <name>] [--language <zpl>] [--dpmm <8>]",
    "keeps a template, as a new version of one that is there",
    async ({ registry, author }, [id = ""], options) => {
      if (!options.file) throw new StartProblem("Say which file the template is in: --file.");
      const body = fileText(options.file);
      const language = options.language ?? recogniseLanguage(Buffer.from(body));
      if (!IsLanguage.Check(language))
        throw new StartProblem("What language this is cannot be told: say it with --language.");
      const record = { id, name: options.name ?? id, language, dpmm: Number(options.dpmm ?? "8"), body };
      if (!Check.Check({ ...record, version: 1 }))
        throw new StartProblem(
          "A template needs an id of letters and digits, a text, and --dpmm from 6 to 24.",
        );
      const { version } = saveTemplate(registry, record, author());
      return `${id} is kept as version ${version}.`;
    },
  ),
  "template list": command("", "the templates", async ({ registry }, _words, _options, flags) => {
    const rows = registry.templates.all().map((record) => ({ ...templateInfo(record) }));
    return rows.length > 0 || flags.has("json") ? rows : "There is no template yet.";
  }),
  "template remove": command("<id>", "removes a template", async ({ registry, author }, [id = ""]) => {
    if (!removeTemplate(registry, id, author())) throw new StartProblem(`There is no template "${id}".`);
    return `${id} is removed.`;
  }),
};
