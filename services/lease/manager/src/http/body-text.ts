import { isUtf8 } from "node:buffer";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorCodes, type FastifyRequest } from "fastify";
import { refuse } from "../domain/codes.ts";

/** Takes TOML, CSV and plain text as bodies. Letters of another encoding would be lost without a word. */
export function takeTexts(app: HttpServer): void {
  app.addContentTypeParser(
    ["application/toml", "text/csv", "text/plain"],
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) =>
      isUtf8(body) ? body.toString("utf8") : refuse("bad_encoding"),
  );
}

/** The text that was sent; JSON, which other addresses take, is none. */
export function bodyText({ body, headers }: FastifyRequest): string {
  if (body === undefined || body === null) return "";
  if (typeof body === "string" && !/\bjson\b/.test(headers["content-type"] ?? "")) return body;
  throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers["content-type"]);
}
