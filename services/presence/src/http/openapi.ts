import { operationId } from "@frontdesk/kit/openapi-document";
import { deliveryOf, EVENT_TYPES } from "../domain/resources.ts";
import { APP_BASE } from "./app-base.ts";
import type { Needs } from "./gate.ts";
import { NAMED } from "./replies.ts";

export const DOCUMENT_PATH = "/api/v1/external/openapi.json";

export const INTRODUCTION = `Set members' presence, manage their TODOs, and hear of changes by signed webhooks.

Every request carries \`Authorization: Bearer fdp_…\`; a token belongs to one organisation and has scopes. A token may make 600 requests in any 60 seconds: \`RateLimit\` says how many are left, and 429 comes with \`Retry-After\`. Refusals are \`application/problem+json\`.`;

export const SIGNATURE_HEADERS = {
  "X-Service-Signature":
    "`sha256=<hex>`: HMAC-SHA256 of the raw body, keyed with the whole secret as text. Two, separated by a comma, for a day after the secret was rotated.",
  "webhook-id": "The event's id, the same on every attempt.",
  "webhook-timestamp": "When this attempt was signed, in seconds since the epoch.",
  "webhook-signature":
    "Standard Webhooks: `v1,<base64>`, keyed with the bytes behind `whsec_`. Two, separated by a space, for a day after the secret was rotated.",
};

/** Adds to what the routes say: the token, its scopes, and what webhooks carry. */
export function completeDocument(document: Record<string, unknown>): Record<string, unknown> {
  const { schemas, ...components } = document.components as { schemas: Record<string, unknown> };
  const { Error: _, ...named } = schemas;
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths as Record<string, Record<string, Operation>>)
        // The web app's has a document of its own.
        .filter(([path]) => !path.startsWith(`${APP_BASE}/`))
        .map(([path, verbs]) => [path, path.startsWith("/api/v1/external/") ? guarded(verbs) : verbs]),
    ),
    components: {
      ...components,
      schemas: named,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of an integration: `fdp_…`." },
      },
    },
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type)])),
  };
}

/** What each refusal of an endpoint means; those without condition may come from any. */
const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The body is not JSON",
  401: "No valid token",
  403: "The token lacks a scope",
  404: "No such organisation, member or TODO for this token",
  409: "It conflicts with something else",
  410: "Events that old are no longer kept",
  412: "The TODO has changed; the current one is in the body",
  413: "The body is larger than 64 KiB (a batch: 512 KiB)",
  415: "The body is not JSON by its content type",
  422: "The request does not fit",
  428: "If-Match is needed",
  429: "Too many requests with this token; Retry-After says when to come back",
  503: "The database is away; Retry-After says when to come back",
};
const EVERYWHERE = [401, 403, 404, 422, 429, 503];
/** Whoever writes may send a body, also where none is needed. */
const WITH_A_BODY = [400, 413, 415];

interface Operation {
  readonly responses: Record<string, object>;
  readonly "x-problems"?: readonly number[];
  readonly "x-needs"?: Needs;
  readonly description?: string;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}
type Schema = Readonly<Record<string, unknown>>;

/** Refusals are added here and not in the routes, because no route ever serialises one. */
function guarded(verbs: Record<string, Operation>) {
  const problem = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  return Object.fromEntries(
    Object.entries(verbs).map(
      ([
        verb,
        { "x-problems": more = [], "x-needs": needs = [], responses, description, requestBody, ...operation },
      ]) => [
        verb,
        {
          ...operation,
          ...(requestBody ? { requestBody: withExample(requestBody) } : {}),
          // Viewers show the scopes of OAuth alone.
          description: [`Scope ${inWords(waysToMeet(needs))}.`, description].filter(Boolean).join("\n\n"),
          security: waysToMeet(needs).map((scopes) => ({ token: scopes })),
          responses: {
            ...described(responses),
            ...Object.fromEntries(
              [...EVERYWHERE, ...(verb === "get" ? [] : WITH_A_BODY), ...more].map((status) => [
                status,
                { description: PROBLEMS[status], content: problem },
              ]),
            ),
          },
        },
      ],
    ),
  );
}

/** Every set of scopes that is enough: one scope of each group. */
const waysToMeet = (needs: Needs): string[][] =>
  needs.reduce<string[][]>(
    (ways, group) => group.flatMap((scope) => ways.map((way) => [...way, scope])),
    [[]],
  );

/** A body to begin with, of the fields that give an example: tools would invent the others too. */
const withExample = ({ content, ...body }: NonNullable<Operation["requestBody"]>) => ({
  ...body,
  content: Object.fromEntries(
    Object.entries(content).map(([type, media]) => [type, { ...media, example: sampleOf(media.schema) }]),
  ),
});

function sampleOf(schema: Schema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.type === "array") return [sampleOf((schema.items ?? {}) as Schema)];
  if (!schema.properties) return undefined;
  const named = Object.entries(schema.properties as Record<string, Schema>).map(
    ([name, inner]) => [name, sampleOf(inner)] as const,
  );
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

const inWords = (ways: string[][]): string =>
  ways.map((scopes) => scopes.map((scope) => `\`${scope}\``).join(" and ")).join(", or ");

const SUCCESSES: Readonly<Record<string, string>> = { 200: "Done", 201: "Created", 204: "Deleted" };

const described = (responses: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, reply]) => [
      status,
      { ...reply, description: SUCCESSES[status] ?? "" },
    ]),
  );

function webhookOf(type: (typeof EVENT_TYPES)[number]) {
  return {
    post: {
      operationId: operationId("on", type),
      security: [],
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
        "4XX": { description: "Refused: tried again later; 410 disables the webhook." },
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
