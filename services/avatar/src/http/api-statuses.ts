import { SIGNIN_STATUS_OF } from "@frontdesk/signin/refusals";
import type { RefusalCode } from "../domain/errors.ts";

/** What each refusal is in HTTP. */
export const STATUS_OF = {
  ...SIGNIN_STATUS_OF,
  malformed_hash: 400,
  missing_first_name: 400,
  bad_collection: 400,
  bad_options: 400,
  bad_seed: 400,
  image_missing: 400,
  not_confirmed: 400,
  cannot_revoke_self: 400,
  not_admin: 403,
  email_not_found: 404,
  email_not_verified: 404,
  no_account: 404,
  admin_not_found: 404,
  name_already_set: 409,
  no_verified_email: 409,
  email_taken: 409,
  too_many_emails: 409,
  primary_email: 409,
  admin_by_setting: 409,
  image_too_large: 413,
  unsupported_image: 415,
  no_face: 422,
  directory_failed: 502,
  suggestion_failed: 502,
  vision_not_configured: 503,
  overloaded: 503,
  unavailable: 503,
} as const satisfies Record<RefusalCode, number>;
