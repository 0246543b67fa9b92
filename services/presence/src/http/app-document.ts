import { completedDocument } from "@frontdesk/kit/openapi-document";
import { APP_BASE } from "./app-base.ts";

export const APP_DOCUMENT_PATH = `${APP_BASE}/openapi.json`;

const DESCRIPTION = `What the web app of presence asks for: everyone's status and how it changes, one's own TODOs, share links, and the organisation's settings.

Signing in by a code sets the cookie \`presence_session\`, which everything needs that does not say otherwise. Writes are taken from the app's own pages. Refusals are \`application/problem+json\`.`;

interface Operation {
  readonly responses: Readonly<Record<string, object>>;
  readonly security?: readonly object[];
  readonly "x-problems"?: readonly number[];
}
type Verbs = Readonly<Record<string, Operation>>;

/** What each refusal means, and where it may come from. */
const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The body is not JSON, or an e-mail address is none",
  401: "Nobody is signed in, or a code is wrong",
  403: "The role does not allow it, or the write comes from a page of somebody else's",
  404: "There is nothing like it for the caller",
  409: "It conflicts with something else",
  410: "It is over",
  412: "The TODO has changed; the current one is in the body",
  413: "The body is larger than 64 KiB",
  415: "The body is not JSON by its content type",
  422: "The request does not fit",
  428: "If-Match is needed",
  429: "Too often, or too many at once; Retry-After says when to come back",
  502: "The mail could not be sent",
  503: "The database is away; Retry-After says when to come back",
};
const EVERYWHERE = [404, 422, 503];
const WITH_A_SESSION = [401, 403];
const OF_WRITES_WITH_A_SESSION = [429];
const OF_WRITES = [400, 403, 413, 415];

/** The routes of the web app alone, with what all of them have in common. */
export function appDocument(document: Record<string, unknown>): Record<string, unknown> {
  const paths = Object.entries(document.paths as Readonly<Record<string, Verbs>>)
    .filter(([path]) => path.startsWith(`${APP_BASE}/`))
    .map(([path, verbs]) => [
      path,
      Object.fromEntries(Object.entries(verbs).map(([verb, operation]) => [verb, guarded(verb, operation)])),
    ]);
  const used = JSON.stringify(paths);
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  return completedDocument({
    ...document,
    info: { ...(document.info as object), title: "Frontdesk Presence: web app", description: DESCRIPTION },
    security: [{ session: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).filter(([name]) => used.includes(`"#/components/schemas/${name}"`)),
      ),
      securitySchemes: { session: { type: "apiKey", in: "cookie", name: "presence_session" } },
    },
  });
}

/** Refusals are added here and not in the routes, because no route ever serialises one. */
function guarded(verb: string, { "x-problems": more = [], responses, ...operation }: Operation) {
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const replies = Object.entries(responses);
  const told = replies.filter(([status]) => Number(status) >= 400).map(([status]) => Number(status));
  const statuses = [
    ...EVERYWHERE,
    ...(operation.security ? [] : WITH_A_SESSION),
    ...(verb === "get" ? [] : OF_WRITES),
    ...(verb === "get" || operation.security ? [] : OF_WRITES_WITH_A_SESSION),
    ...told,
    ...more,
  ];
  return {
    ...operation,
    responses: {
      ...Object.fromEntries(
        replies
          .filter(([status]) => Number(status) < 400)
          .map(([status, reply]) => [status, { description: "Done", ...(reply as object) }]),
      ),
      ...Object.fromEntries(
        [...new Set(statuses)].map((status) => [
          status,
          { description: PROBLEMS[status] ?? "Refused", content },
        ]),
      ),
    },
  };
}
