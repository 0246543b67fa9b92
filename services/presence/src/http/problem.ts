import { DomainError } from "@frontdesk/kit/domain-error";
import type { Refusal, ToldRefusal } from "@frontdesk/kit/refusal";
import { SIGNIN_REFUSALS, SIGNIN_STATUS_OF } from "@frontdesk/signin/refusals";
import type { FastifyError } from "fastify";
import { Type } from "typebox";
import { CODES, type Code, EventsGone } from "../domain/codes.ts";
import { todoView } from "../domain/todo.ts";
import { etagOf, StaleTodo } from "../domain/todo-condition.ts";

/** Which status each refusal of the domain becomes. */
export const STATUS_OF = {
  unauthorized: 401,
  missing_scope: 403,
  rate_limited: 429,
  org_not_found: 404,
  org_exists: 409,
  member_not_found: 404,
  member_exists: 409,
  external_ref_taken: 409,
  unknown_status: 422,
  status_exists: 409,
  status_is_default: 409,
  expiry_in_past: 422,
  project_not_found: 422,
  todo_not_found: 404,
  todo_exists: 409,
  too_many_todos: 409,
  precondition_required: 428,
  stale: 412,
  integration_not_found: 404,
  token_not_found: 404,
  too_many_tokens: 409,
  webhook_not_found: 404,
  delivery_not_found: 404,
  event_gone: 410,
  too_many_webhooks: 409,
  secret_sealed: 409,
  share_link_not_found: 404,
  forbidden: 403,
  last_admin: 409,
  planned_not_found: 404,
  too_many_planned: 409,
  too_many_follows: 409,
  nothing_to_undo: 409,
  invitation_not_found: 404,
  too_many_invitations: 409,
  too_many_projects: 409,
  too_many_share_links: 409,
  too_many_streams: 429,
  first_run_over: 410,
  calendar_not_found: 404,
  bad_cursor: 422,
  events_gone: 410,
  invalid: 422,
} satisfies Record<Code, number>;

/** Refusals that come before the domain is asked. */
const EDGE_CODES = {
  bad_request: "The request could not be understood.",
  bad_url: "The address could not be decoded.",
  bad_json: "The body is not JSON.",
  body_too_large: "The body is larger than 64 KiB (a batch: 512 KiB).",
  unsupported_media_type: "The body must be application/json.",
  invalid_request: "The request does not fit its schema; `errors` says where.",
  not_found: "There is nothing at this address.",
  wrong_host: "The request names a host that is not this service: PRESENCE_URL tells it its name.",
  method_not_allowed: "This address does not know the method; Allow lists those it knows.",
  headers_too_large: "The request's head is too large.",
  request_timeout: "The request took too long to arrive.",
  unavailable: "The service cannot reach its database at the moment; Retry-After says when to come back.",
  internal: "Something went wrong here; the request id finds it in the log.",
} as const;

const EDGE_STATUS = {
  bad_request: 400,
  bad_url: 400,
  bad_json: 400,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_request: 422,
  not_found: 404,
  wrong_host: 421,
  method_not_allowed: 405,
  headers_too_large: 431,
  request_timeout: 408,
  unavailable: 503,
  internal: 500,
} satisfies Record<keyof typeof EDGE_CODES, number>;

export const PROBLEM_STATUS: Readonly<Record<string, number>> = {
  ...SIGNIN_STATUS_OF,
  ...EDGE_STATUS,
  ...STATUS_OF,
};
export const PROBLEM_CODES: Readonly<Record<string, string>> = {
  ...SIGNIN_REFUSALS,
  ...EDGE_CODES,
  ...CODES,
};

/** RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: "Where the docs explain this code." }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    requestId: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String(), in: Type.String() })),
    ),
    resumeAfter: Type.Optional(
      Type.Integer({ description: "With `events_gone`: what to pass as `after` to go on." }),
    ),
    current: Type.Optional(Type.Unknown({ description: "With `stale`: the TODO as it is stored." })),
  },
  { $id: "Problem", additionalProperties: false },
);

/** Puts a refusal into words as `application/problem+json`. */
export function tellProblem(publicUrl: string): (refusal: Refusal) => ToldRefusal {
  return (refusal) => {
    const { requestId, error } = refusal;
    const { status, code } = edgeCase(refusal);
    const title = PROBLEM_CODES[code] ?? code;
    const body = {
      type: `${publicUrl}/docs#${code}`,
      title,
      status,
      detail: error instanceof DomainError ? error.message : title,
      code,
      ...(requestId === undefined ? {} : { requestId }),
      ...(code === "invalid_request" ? { errors: placesOf(error as FastifyError) } : {}),
      ...(error instanceof EventsGone ? { resumeAfter: error.resumeAfter } : {}),
      ...(error instanceof StaleTodo ? { current: todoView(error.current) } : {}),
    };
    const headers: Record<string, string> = {
      ...(code === "unauthorized" ? { "www-authenticate": 'Bearer realm="presence"' } : {}),
      ...(error instanceof StaleTodo ? { etag: etagOf(error.current) } : {}),
    };
    return { status, contentType: "application/problem+json; charset=utf-8", headers, body };
  };
}

/** Where this API answers otherwise than the kit would. */
function edgeCase({ status, code }: Refusal): Pick<Refusal, "status" | "code"> {
  if (code === "invalid_request") return { status: 422, code };
  return { status, code };
}

interface Place {
  readonly instancePath?: string;
  readonly message?: string;
  readonly keyword?: string;
  readonly params?: { requiredProperties?: string[] };
}

const MAX_PLACES = 20;

function placesOf(error: FastifyError): Array<{ pointer: string; detail: string; in: string }> {
  const part = error.validationContext ?? "body";
  const places = new Map<string, { pointer: string; detail: string; in: string }>();
  for (const {
    instancePath = "",
    message = "does not fit",
    params,
  } of error.validation as readonly Place[]) {
    const names = params?.requiredProperties ?? [];
    const pointers = names.length > 0 ? names.map((name) => `${instancePath}/${name}`) : [instancePath];
    for (const pointer of pointers) {
      if (!places.has(pointer)) places.set(pointer, { pointer: `#${pointer}`, detail: message, in: part });
    }
  }
  return [...places.values()].slice(0, MAX_PLACES);
}
