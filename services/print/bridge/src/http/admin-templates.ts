import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { BridgeError } from "../domain/errors.ts";
import { TemplateRecord } from "../domain/registry.ts";
import { removeTemplate, saveTemplate, templateInfo } from "../domain/templates.ts";
import {
  checkTemplate,
  fillTemplate,
  placeholdersOf,
  templateUsesRfid,
  Unusable,
} from "../languages/template.ts";
import { textOf } from "../zpl/charset.ts";
import { placeholderWarnings, zplWarnings } from "../zpl/warnings.ts";
import { noteJob } from "./admin-audit.ts";
import { type AdminOptions, authorOf, CONSOLE, Id } from "./admin-context.ts";
import {
  Nothing,
  Preview,
  PreviewBody,
  TemplateBody,
  TemplateRow,
  TemplateVersionRow,
} from "./admin-schemas.ts";
import { assertPrecondition, SeenVersion } from "./precondition.ts";

const TEMPLATE_BYTES = 2 * 1024 * 1024;

const rowOf = (template: TemplateRecord): TemplateRow => ({ ...template, ...templateInfo(template) });

/** Templates: kept, shown filled in before they are, and printed to be tried. */
export function addTemplateRoutes(app: HttpServer, options: AdminOptions): void {
  const { bridge, registry } = options;

  app.get(
    "/templates",
    {
      schema: {
        summary: "Templates",
        response: { 200: Type.Object({ templates: Type.Array(TemplateRow) }) },
      },
    },
    async () => ({
      templates: registry.templates.all().map(rowOf),
    }),
  );
  app.put(
    "/templates/:id",
    {
      bodyLimit: TEMPLATE_BYTES,
      schema: {
        summary: "Saves a template as its next version",
        params: Id,
        headers: SeenVersion,
        body: TemplateBody,
        response: { 200: TemplateRecord },
      },
    },
    async (request) => {
      if (request.params.id !== request.body.id)
        throw new BridgeError("PROTOCOL_ERROR", "The id in the path is another.");
      const current = registry.templates.get(request.body.id);
      assertPrecondition(request, current?.version, () => current && rowOf(current));
      const saved = saveTemplate(registry, request.body, authorOf(request, options));
      bridge.log.info({ template: saved.id, version: saved.version }, "template saved");
      options.afterChange();
      return saved;
    },
  );
  app.delete(
    "/templates/:id",
    {
      schema: {
        summary: "Removes a template",
        params: Id,
        headers: SeenVersion,
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      const current = registry.templates.get(request.params.id);
      if (current) assertPrecondition(request, current.version, () => rowOf(current));
      if (!removeTemplate(registry, request.params.id, authorOf(request, options)))
        throw new BridgeError("TEMPLATE_UNKNOWN", "There is no such template.");
      bridge.log.info({ template: request.params.id }, "template removed");
      options.afterChange();
      return reply.code(204).send(undefined);
    },
  );
  app.get(
    "/templates/:id/versions",
    {
      schema: {
        summary: "What a template was before, newest first; a removed one's too",
        params: Id,
        response: { 200: Type.Object({ versions: Type.Array(TemplateVersionRow) }) },
      },
    },
    async (request) => {
      const versions = registry.templateVersions.of(request.params.id);
      if (versions.length === 0) throw new BridgeError("TEMPLATE_UNKNOWN", "There is no such template.");
      return {
        versions: versions.map(({ template, savedAt }) => ({
          ...template,
          saved_at: savedAt === undefined ? null : new Date(savedAt).toISOString(),
        })),
      };
    },
  );
  app.post(
    "/templates/preview",
    {
      bodyLimit: TEMPLATE_BYTES * 2,
      schema: {
        summary: "What a template would print",
        body: PreviewBody,
        response: { 200: Preview },
      },
    },
    async (request) => preview(request.body, options.draw),
  );
  app.post(
    "/templates/:id/print",
    {
      schema: {
        summary: "Prints a template once, to try it",
        params: Id,
        body: Type.Object({
          printer: Type.String({ maxLength: 120 }),
          values: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 500 }),
        }),
        response: { 202: Type.Object({ jobId: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { printer, values } = request.body;
      const labels = [{ params: values }];
      const job = await bridge.service.printTemplate(CONSOLE, {
        printer,
        template: request.params.id,
        labels,
      });
      noteJob(options, request, "template.printed", request.params.id, { printer, job: job.jobId });
      return reply.code(202).send(job);
    },
  );
}

/** A placeholder without a value shows itself, so that a person sees where it stands. */
async function preview(asked: PreviewBody, draw: AdminOptions["draw"]): Promise<Preview> {
  const { language, body } = asked;
  const placeholders = placeholdersOf(body);
  const warnings = language === "zpl" ? zplWarnings(body, asked) : placeholderWarnings(body);
  const shown = { placeholders, rfid: templateUsesRfid(language, body), problem: null, warnings };
  const values = Array.from(
    { length: placeholders.at(-1) ?? 0 },
    (_, n) => asked.values[n] || `{{${n + 1}}}`,
  );
  try {
    checkTemplate(language, body);
    const text = textOf(fillTemplate(language, body, values));
    const pictures = language === "zpl" ? await draw({ ...asked, zpl: text }) : [];
    return { ...shown, text, pictures: pictures.map((png) => Buffer.from(png).toString("base64")) };
  } catch (error) {
    const problem =
      error instanceof Unusable ? error.message : `It could not be drawn: ${(error as Error).message}.`;
    return { ...shown, problem, text: body, pictures: [] };
  }
}
