import type { HttpServer } from "./http-server.ts";
import type { OpenApiDocument } from "./openapi-document.ts";

/** Serves an OpenAPI document, which is made of what the routes say when it is asked for first. */
export function serveDocument(
  app: HttpServer,
  path: string,
  make: (routes: OpenApiDocument) => OpenApiDocument,
): void {
  let text: string | undefined;
  app.get(path, { schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(make(app.swagger() as unknown as OpenApiDocument));
    return reply.type("application/json; charset=utf-8").send(text);
  });
}
