import { DomainError } from "@frontdesk/kit/domain-error";

/** Every refusal of signing in: its HTTP status, and the sentence that tells a person what to do. */
const TABLE = {
  no_session: [401, "Sign in first."],
  bad_origin: [403, "Writes are taken only from the console's own pages."],
  invalid_email: [400, "That is not an e-mail address."],
  invalid_code: [401, "The code is wrong, used, or too old: ask for a new one."],
  mail_failed: [502, "The mail could not be sent: try again later."],
  mfa_required: [401, "Send a code from your authenticator, or a recovery code, as `totp`."],
  invalid_totp: [401, "The code from the authenticator is wrong or used."],
  mfa_already_on: [409, "Two-step sign-in is on: turn it off first."],
  mfa_not_begun: [409, "Begin with POST /me/mfa/totp."],
  mfa_not_on: [409, "Two-step sign-in is not on."],
  rate_limited: [429, "Too often: try again after the time that Retry-After tells."],
  session_not_found: [404, "There is no such session."],
} as const;

export type SigninRefusal = keyof typeof TABLE;

const column = <I extends 0 | 1>(i: I) =>
  Object.fromEntries(Object.entries(TABLE).map(([code, row]) => [code, row[i]])) as {
    readonly [Code in SigninRefusal]: (typeof TABLE)[Code][I];
  };

/** For the service's own tables, which these refusals are a part of. */
export const SIGNIN_STATUS_OF = column(0);
export const SIGNIN_REFUSALS = column(1);

export function refuse(code: SigninRefusal, retryAfterSeconds?: number): DomainError<SigninRefusal> {
  return new DomainError(code, SIGNIN_REFUSALS[code], retryAfterSeconds);
}
