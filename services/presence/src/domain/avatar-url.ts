import { type EmailAddress, identityHash } from "@frontdesk/signin/email-address";

/** The address of a member's face: the avatar service's media address and the identity hash. */
export const avatarUrlOf = (base: string, email: string): string =>
  `${base}/${identityHash(email as EmailAddress)}`;
