import { deliveryOf, EVENT_TYPES } from "../domain/resources.ts";
import { NAMED } from "./replies.ts";

export const DOCUMENT_PATH = "/api/v1/external/openapi.json";

export const INTRODUCTION = `Set members' presence, manage their TODOs, and hear of changes by signed webhooks.

Every request carries \`Authorization: Bearer fdp_…\`; a token belongs to one organisation and has scopes. A token may make 600 requests in any 60 seconds: \`RateLimit\` says how many are left, and 429 comes with \`Retry-After\`. Refusals are \`application/problem+json\`.`;

const SIGNATURE_HEADERS = {
  "X-Service-Signature":
    "`sha256=<hex>`: HMAC-SHA256 of the raw body, keyed with the whole secret as text. Two, separated by a comma, for a day after the secret was rotated.",
  "webhook-id": "The event's id, the same on every attempt.",
  "webhook-timestamp": "When this attempt was signed, in seconds since the epoch.",
  "webhook-signature":
    "Standard Webhooks: `v1,<base64>`, keyed with the bytes behind `whsec_`. Two, separated by a space, for a day after the secret was rotated.",
};

/** Adds to what the routes say: the token, and what webhooks carry. */
export function completeDocument(document: Record<string, unknown>): Record<string, unknown> {
  const components = (document.components ?? {}) as Record<string, unknown>;
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths as Record<string, Record<string, object>>).map(([path, verbs]) => [
        path,
        path.startsWith("/api/v1/external/") ? guarded(verbs) : verbs,
      ]),
    ),
    components: {
      ...components,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of an integration: `fdp_…`." },
      },
    },
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type)])),
  };
}

const guarded = (verbs: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(verbs).map(([verb, operation]) => [verb, { ...operation, security: [{ token: [] }] }]),
  );

function webhookOf(type: (typeof EVENT_TYPES)[number]) {
  return {
    post: {
      operationId: `on ${type}`,
      tags: ["webhooks"],
      summary: `Tells of ${type}`,
      parameters: Object.entries(SIGNATURE_HEADERS).map(([name, description]) => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
      requestBody: {
        required: true,
        content: { "application/json": { schema: byReference(deliveryOf(type)) } },
      },
      responses: {
        "2XX": { description: "Received. Anything else, or nothing in 15 seconds, is tried again." },
      },
    },
  };
}

const NAMES = new Set<string>(NAMED.map((schema) => String((schema as { $id?: string }).$id)));

/** Replaces the named schemas within a schema by references to the document's components. */
function byReference(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(byReference);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id, ...fields } = schema as Record<string, unknown>;
  if (typeof $id === "string" && NAMES.has($id)) return { $ref: `#/components/schemas/${$id}` };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, byReference(value)]));
}
