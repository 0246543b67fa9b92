import { signinWords } from "@frontdesk/signin/page-words";

/** What each error identifier of the service means, for the person who met it. */
export const words = {
  ...signinWords,
  missing_first_name: "A first name is needed.",
  name_already_set: "Your name is already set.",
  name_changed: "Your name was changed elsewhere meanwhile.",
  directory_failed: "The staff directory did not take your name. Nothing was changed; try again later.",
  bad_collection: "That style is not there any more. Choose another.",
  bad_options: "This style does not know one of the chosen options. Undo the last change, then try again.",
  bad_seed: "That text is too long: 256 characters at most.",
  no_verified_email: "Your account has no confirmed address yet. Confirm one under E-mail addresses.",
  image_missing: "No picture arrived. Choose one, then try again.",
  image_too_large: "That picture is too large. 2 MB is the limit.",
  unsupported_image: "That is not a picture we can use. Take a PNG, JPEG, WebP or GIF.",
  no_face: "No face was found in that photo. Try one where the face is large and well lit.",
  suggestion_failed: "The photo could not be read this time. Try again, or take another photo.",
  vision_not_configured: "Reading photos is not set up on this server.",
  email_taken: "That address is connected to another account.",
  too_many_emails: "You have as many addresses as an account may have. Remove one first.",
  primary_email: "That is your primary address. Make another one primary first.",
  email_not_found: "That address is no longer on your account.",
  email_not_verified: "Confirm that address first.",
  not_admin: "Only administrators can see this.",
  no_account: "Nobody has confirmed that address yet. They need to sign in here once first.",
  admin_not_found: "That person is no longer an administrator.",
  admin_by_setting:
    "That administrator is named in the server's settings (AVATAR_ADMINS): remove the address there.",
  cannot_revoke_self: "You cannot take away your own rights. Ask another administrator.",
  not_confirmed: "That is not your primary address, so nothing was deleted.",
  overloaded: "The server is busy.",
  unavailable: "The server is out of order.",
};
