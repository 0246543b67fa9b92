import { DomainError } from "@frontdesk/kit/domain-error";
import type { Refusal, ToldRefusal } from "@frontdesk/kit/refusal";
import { Problem as Mistake, REFUSAL_STATUS, REFUSALS } from "@frontdesk/lease-control-api/schemas";
import type { FastifyError } from "fastify";
import { Type } from "typebox";
import { CODES, type Code } from "../domain/codes.ts";
import { WrongConfig } from "../domain/config-values.ts";
import { ConfigMovedOn } from "../domain/configuration.ts";
import { IdentifierTaken } from "../domain/reservations.ts";
import { ConfirmationNeeded } from "../domain/typed-confirmation.ts";
import { LeaseMovedOn } from "./lease-moved-on.ts";
import { LeaseView } from "./schemas.ts";

const OWN_STATUS = {
  sign_in_failed: 401,
  too_many_attempts: 429,
  unauthorized: 401,
  forbidden: 403,
  cross_origin: 403,
  wrong_host: 421,
  user_not_found: 404,
  user_exists: 409,
  bad_username: 422,
  last_admin: 409,
  weak_password: 422,
  token_not_found: 404,
  token_expired_already: 422,
  token_ends_too_late: 422,
  too_many_tokens: 409,
  engine_away: 503,
  engine_unanswered: 503,
  engine_busy: 409,
  reservation_not_found: 404,
  reservation_changed: 412,
  reservation_exists: 409,
  identifier_taken: 409,
  no_subnet: 422,
  config_unwritable: 409,
  config_busy: 409,
  config_not_undone: 503,
  config_trial_open: 409,
  bad_value: 422,
  version_not_found: 404,
  filter_needed: 422,
  count_differs: 409,
  nothing_to_reserve_by: 409,
  if_match_needed: 428,
  bad_rows: 422,
  rollout_running: 409,
  no_rollout: 409,
  bad_device: 400,
  device_not_found: 404,
  confirmation_needed: 409,
  no_interface: 404,
  bad_network: 422,
  network_unmanaged: 409,
  network_not_root: 409,
  network_trial_open: 409,
  network_trial_elsewhere: 409,
  no_network_trial: 409,
  network_trial_other: 409,
  network_no_ip: 503,
  network_unreadable: 503,
  network_failed: 409,
  network_ending: 409,
  too_deep: 422,
  bad_encoding: 422,
  bad_csv: 422,
  bad_columns: 422,
  too_many_rows: 422,
  preview_outdated: 412,
} satisfies Record<Code, number>;

const EDGE = {
  bad_request: "The request could not be understood.",
  bad_url: "The address could not be decoded.",
  bad_json: "The body is not JSON.",
  invalid_request: "The request does not fit; `errors` says where.",
  body_too_large: "The body is too large.",
  unsupported_media_type: "The body is of a kind that this address does not take.",
  not_found: "There is nothing at this address.",
  method_not_allowed: "This address does not know the method; Allow lists those it knows.",
  headers_too_large: "The request's head is too large.",
  request_timeout: "The request took too long to arrive.",
  unavailable: "The manager cannot use its database at the moment.",
  internal: "Something went wrong here; the request id finds it in the log.",
} as const;

/** What the engine refuses, the manager passes on. */
export const STATUS_OF: Readonly<Record<string, number>> = { ...REFUSAL_STATUS, ...OWN_STATUS };
const TITLES: Readonly<Record<string, string>> = { ...REFUSALS, ...EDGE, ...CODES };

/** RFC 9457. */
export const ProblemBody = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    detail: Type.Optional(Type.String({ description: "With `bad_config`: the problems as sentences." })),
    status: Type.Integer(),
    code: Type.String({ description: "For programs." }),
    request_id: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
        description:
          "Where the request does not fit: with `invalid_request`, with what is taken already, with `bad_config` where values were sent, and with `confirmation_needed` the words that `confirmation` has to say.",
      }),
    ),
    problems: Type.Optional(
      Type.Array(Mistake, { description: "With `bad_config`: what is wrong, and at which line and column." }),
    ),
    version: Type.Optional(
      Type.String({ description: "With `config_changed` and `lease_changed`: the version there is now." }),
    ),
    current: Type.Optional(
      Type.Union([Type.String(), LeaseView], {
        description:
          "With `config_changed`: the text there is now. With `lease_changed`: the lease as it is now.",
      }),
    ),
    seen: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "With `config_changed`: the text that If-Match names, if it is kept.",
      }),
    ),
  },
  { $id: "Problem" },
);

export function tellProblem({ status, code, requestId, error }: Refusal): ToldRefusal {
  const title = error instanceof DomainError ? error.message : (TITLES[code] ?? code);
  return {
    status,
    contentType: "application/problem+json; charset=utf-8",
    body: {
      type: "about:blank",
      title,
      status,
      code,
      ...(requestId === undefined ? {} : { request_id: requestId }),
      ...(code === "invalid_request" && error ? { errors: placesOf(error as FastifyError) } : {}),
      ...(error instanceof IdentifierTaken
        ? { errors: [{ pointer: `#/${error.kind}`, detail: title }] }
        : {}),
      ...(FIELD_OF[code] ? { errors: [{ pointer: `#/${FIELD_OF[code]}`, detail: title }] } : {}),
      ...(error instanceof WrongConfig
        ? {
            detail: sentencesOf(error),
            problems: error.problems,
            ...(error.errors ? { errors: error.errors } : {}),
          }
        : {}),
      ...(error instanceof ConfirmationNeeded
        ? { errors: [{ pointer: "#/confirmation", detail: error.words }] }
        : {}),
      ...(error instanceof ConfigMovedOn
        ? { version: error.version, current: error.current, seen: error.seen }
        : {}),
      ...(error instanceof LeaseMovedOn ? { version: error.current.version, current: error.current } : {}),
    },
  };
}

/** The field of a request that a refusal is about. */
const FIELD_OF: Readonly<Record<string, string>> = {
  user_exists: "username",
  reservation_exists: "ip",
  no_subnet: "ip",
  token_expired_already: "expires_at",
  token_ends_too_late: "expires_at",
};

const MAX_SENTENCES = 3;

/** Whoever has sent values has seen no lines. */
const sentencesOf = ({ problems, errors }: WrongConfig) =>
  problems
    .slice(0, MAX_SENTENCES)
    .map(({ line, column, message }) => (errors ? message : `Line ${line}, column ${column}: ${message}`))
    .join(" ");

const MAX_PLACES = 20;

function placesOf(error: FastifyError): Array<{ pointer: string; detail: string }> {
  return (error.validation ?? [])
    .slice(0, MAX_PLACES)
    .map(({ instancePath, message }) => ({ pointer: `#${instancePath}`, detail: message ?? "does not fit" }));
}
