import { eachOperation, type OpenApiDocument } from "@frontdesk/kit/openapi-document";
import { COOKIE } from "./gate.ts";

const PROBLEM = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
const REFUSED = { description: "Refused: `code` says why.", content: PROBLEM };
const AWAY = { description: "The engine or the database does not answer.", content: PROBLEM };

/** Adds to what the routes say: how callers show who they are, and how a request is refused. */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  const { schemas, ...components } = document.components as { schemas: Record<string, object> };
  // Refusals are told as Problem here.
  const { Error: _, ...own } = schemas;
  return {
    ...document,
    components: {
      ...components,
      schemas: own,
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: COOKIE, description: "Of a person who signed in." },
        token: { type: "http", scheme: "bearer", description: "Of a program; made under Users." },
      },
    },
    security: [{ session: [] }, { token: [] }],
    paths: eachOperation(document.paths as Parameters<typeof eachOperation>[0], (operation) => ({
      ...operation,
      responses: { "4XX": REFUSED, "5XX": AWAY, ...operation.responses },
    })),
  };
}
