import type { HttpServer } from "@frontdesk/kit/http-server";
import { jsonParser } from "@frontdesk/kit/json-parser";
import { type FromText, validatorCompiler } from "@frontdesk/kit/validator-compiler";
import { errorCodes } from "fastify";

/** Bodies and replies are JSON, and what does not fit its schema is refused with the place where it does not. */
export function speakJson(app: HttpServer): void {
  app.setValidatorCompiler(validatorCompiler(fromQuery));
  // Replies are drawn field by field from records, and tests hold them against their schemas. What a
  // compiled serialiser spends on telling null from text, the engine's own does not.
  app.setSerializerCompiler(() => JSON.stringify);
  // Nothing is a body too: completing a TODO needs none, whatever the content type says.
  app.removeContentTypeParser("text/plain");
  const parseJson = jsonParser(app, "error");
  for (const type of ["application/json", "application/merge-patch+json"]) {
    app.removeContentTypeParser(type);
    app.addContentTypeParser(type, { parseAs: "buffer" }, (request, body, done) =>
      body.length === 0 ? done(null, undefined) : parseJson(request, body as Buffer, done),
    );
  }
  app.addContentTypeParser("*", { parseAs: "string" }, (request, body, done) => {
    if (body === "") return done(null, undefined);
    done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers["content-type"]));
  });
}

/**
 * Only a query is text that stands for something else; what comes in a path or a body is what it is. Reads the numbers and
 * flags; what is none stays the text that it is, and is refused.
 */
const fromQuery: FromText = (schema, given, httpPart) => {
  if (httpPart !== "querystring") return given;
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(given as Record<string, unknown>).map(([name, text]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
      if (type === "integer" && /^-?\d{1,16}$/.test(String(text))) return [name, Number(text)];
      if (type === "boolean" && (text === "true" || text === "false")) return [name, text === "true"];
      return [name, text];
    }),
  );
};
