import { DomainError } from "@frontdesk/kit/domain-error";
import { SIGNIN_REFUSALS } from "@frontdesk/signin/refusals";

/** Every refusal of the service, with the sentence that tells a person what to do. The guide lists them all. */
export const REFUSALS = {
  ...SIGNIN_REFUSALS,
  malformed_hash: "A hash is 64 hexadecimal characters.",
  missing_first_name: "A given name is needed.",
  name_already_set: "The name is stored already.",
  avatar_changed: "The avatar was changed meanwhile. Read it again, then decide.",
  name_changed: "The name was changed meanwhile. Read it again, then decide.",
  directory_failed: "The directory did not take the name: try again later.",
  bad_collection: "There is no such collection.",
  bad_options: "An option is unknown to the style, or has a value that it does not take.",
  bad_seed: "A seed is a text of at most 256 characters.",
  no_verified_email: "Verify an e-mail address first.",
  image_missing: "Send the picture as the field `image` of a form.",
  image_too_large: "A picture may have 2 MB, and no more pixels or frames than the guide says.",
  unsupported_image: "The picture must be a whole PNG, JPEG, WebP or GIF.",
  no_face: "There is no face to be seen in the picture.",
  suggestion_failed: "The picture could not be described: try again later.",
  vision_not_configured: "The operator has set up nothing that could look at pictures.",
  email_taken: "The address is connected to another account.",
  too_many_emails: "The account has as many addresses as it may.",
  primary_email: "The address is the primary one: promote another first.",
  email_not_found: "The account has no such address.",
  email_not_verified: "The address is not a verified one of this account.",
  not_admin: "Only for admins.",
  no_account: "No account has verified that address.",
  admin_not_found: "There is no such admin.",
  admin_by_setting: "The admin stands in AVATAR_ADMINS: remove the address there.",
  cannot_revoke_self: "Let another admin do that.",
  not_confirmed: "Say the primary address in `confirm`.",
  unavailable: "A part of the service is out of order: try again after the time that Retry-After tells.",
  overloaded: "Too much is under way: try again shortly.",
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export function refuse(code: RefusalCode, retryAfterSeconds?: number): DomainError<RefusalCode> {
  return new DomainError(code, REFUSALS[code], retryAfterSeconds);
}
