import { eachOperation, type OpenApiDocument } from "@frontdesk/kit/openapi-document";

const SECURITY_SCHEMES = {
  origin: { type: "http", scheme: "bearer", description: "The token of an origin." },
  administrator: { type: "http", scheme: "bearer", description: "The administrator's token." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "frontdesk_print",
    description:
      "A browser in which the administrator is signed in; over https the name is __Host-frontdesk_print.",
  },
};
const ADMIN = "/api/v1/admin/";
const OF_ADMIN = [{ administrator: [] }, { session: [] }];

/** Who may call what, added to what the routes say. */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  const { schemas, ...components } = (document.components ?? {}) as { schemas?: Record<string, unknown> };
  // Refusals have a form of their own here.
  const { Error: _shared, ...ours } = schemas ?? {};
  return {
    ...document,
    components: { ...components, schemas: ours, securitySchemes: SECURITY_SCHEMES },
    security: [{ origin: [] }],
    paths: eachOperation(
      document.paths as Parameters<typeof eachOperation>[0],
      (operation, _method, path) => ({
        ...(path.startsWith(ADMIN) ? { security: path === `${ADMIN}session` ? [] : OF_ADMIN } : {}),
        ...operation,
      }),
    ),
  };
}
