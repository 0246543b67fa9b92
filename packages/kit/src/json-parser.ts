import { isUtf8 } from "node:buffer";
import { errorCodes, type FastifyInstance, type FastifyRequest } from "fastify";

/**
 * For `addContentTypeParser` with `parseAs: "buffer"`. JSON is UTF-8 (RFC 8259 section 8.1): read as such, letters of another
 * encoding would be lost without a word. `prototypeNames`: what becomes of a name like `__proto__`.
 */
export function jsonParser(
  app: Pick<FastifyInstance, "getDefaultJsonParser">,
  prototypeNames: "error" | "ignore",
) {
  const parse = app.getDefaultJsonParser(prototypeNames, prototypeNames);
  return (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    if (isUtf8(body)) parse(request, body.toString("utf8"), done);
    else done(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY());
  };
}
