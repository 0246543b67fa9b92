import { DomainError } from "@frontdesk/kit/domain-error";

/** Every refusal of the domain, with the words a person sees when nothing better is known. */
export const CODES = {
  unauthorized: "The request needs a valid token: Authorization: Bearer fdp_…",
  missing_scope: "The token lacks a scope that this request needs.",
  rate_limited: "Too many requests: try again after the time that Retry-After tells.",
  org_not_found: "There is no such organisation for this token.",
  org_exists: "An organisation with this slug exists.",
  member_not_found: "There is no such member in this organisation.",
  member_exists: "This organisation has a member with this e-mail address.",
  external_ref_taken: "Another member has this external reference.",
  unknown_status: "The organisation's vocabulary has no such status.",
  status_exists: "The vocabulary has a status with this key.",
  status_is_default: "The default status cannot be removed: make another one the default first.",
  expiry_in_past: "expiresAt must be in the future.",
  project_not_found: "There is no such project in this organisation.",
  todo_not_found: "There is no such TODO in this organisation.",
  todo_exists: "Another TODO has this id.",
  too_many_todos: "A member has at most 10,000 open TODOs: finish or archive some first.",
  precondition_required: "Send If-Match with the TODO's ETag, or * to override.",
  stale: "The TODO has changed since it was read: look at the current one and try again.",
  integration_not_found: "There is no such integration in this organisation.",
  token_not_found: "There is no such token in this organisation.",
  too_many_tokens: "This integration has two live tokens already: revoke one first.",
  webhook_not_found: "There is no such webhook in this organisation.",
  secret_sealed:
    "This webhook's secret is sealed with a key that is not in PRESENCE_SECRET_KEYS. Add that key and restart, or rotate the secret.",
  delivery_not_found: "There is no such delivery for this webhook.",
  event_gone: "The event of this delivery is no longer kept: it cannot be sent again.",
  too_many_webhooks: "This organisation has as many webhooks as it may have.",
  share_link_not_found: "There is no such share link, or it was revoked.",
  forbidden: "Your role in this organisation does not allow this.",
  last_admin: "An organisation keeps an administrator: make somebody else one first.",
  planned_not_found: "There is no such planned status.",
  too_many_planned: "A member plans at most 50 statuses.",
  too_many_follows: "A member follows at most 200 others.",
  nothing_to_undo: "There is nothing to undo: something else has changed since.",
  invitation_not_found: "There is no such invitation in this organisation.",
  too_many_invitations: "This organisation has as many open invitations as it may have.",
  too_many_projects: "This organisation has as many projects as it may have: archive some first.",
  too_many_share_links: "This organisation has as many share links as it may have: revoke some first.",
  too_many_streams: "Too many streams are open: close some of them, or come back later.",
  first_run_over: "This link has been used, is too old, or there is an organisation already.",
  calendar_not_found: "There is no calendar at this address: it may have been replaced.",
  bad_cursor: "The cursor is not one that this list gave.",
  events_gone: "Events that old are no longer kept: read the current state, then go on after `resumeAfter`.",
  invalid: "The request does not fit.",
} as const;

export type Code = keyof typeof CODES;

export const refuse = (
  code: Code,
  message: string = CODES[code],
  retryAfterSeconds?: number,
): DomainError<Code> => new DomainError(code, message, retryAfterSeconds);

/** The refusal says after which sequence the events that are kept begin, or where they end. */
export class EventsGone extends DomainError<"events_gone"> {
  readonly resumeAfter: number;

  constructor(resumeAfter: number, message: string = CODES.events_gone) {
    super("events_gone", message);
    this.resumeAfter = resumeAfter;
  }
}
