import { eachOperation, type OpenApiDocument } from "@frontdesk/kit/openapi-document";

const REFUSED = {
  description: "Refused: the error says why.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** Adds to what the routes say: the token, and how a request is refused. */
export function completeDocument(document: OpenApiDocument): OpenApiDocument {
  return {
    ...document,
    components: {
      ...(document.components as object),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "The engine's `control_token`, or the one in its `control.json`, unless it was told to ask for none.",
        },
      },
    },
    security: [{ token: [] }],
    paths: eachOperation(document.paths as Parameters<typeof eachOperation>[0], (operation) => ({
      ...operation,
      responses: { "4XX": REFUSED, ...operation.responses },
    })),
  };
}
