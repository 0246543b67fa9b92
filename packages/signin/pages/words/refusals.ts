/** What each refusal of signing in means, for the person who met it. */
export const signinWords = {
  no_session: "You are signed out. Sign in again.",
  bad_origin: "This page was opened under an address the server does not know as its own.",
  mail_failed: "The mail could not be sent. Try again later; if it stays, tell whoever runs this server.",
  invalid_email: "That does not look like an e-mail address.",
  invalid_code: "That code is not right, or it has expired. Check it, or ask for a new one.",
  mfa_required: "Now the code from your authenticator app.",
  invalid_totp: "That authenticator code is not right. Codes change every 30 seconds: try the one shown now.",
  mfa_already_on: "Two-step sign-in is already on.",
  mfa_not_begun: "Begin again: the last attempt to turn on two-step sign-in has ended.",
  mfa_not_on: "Two-step sign-in is already off.",
  rate_limited: "That was too often.",
  session_not_found: "That device is already signed out.",
};

/** Refusals that say something about what was typed, not about who is signed in. */
export const ABOUT_A_CODE: ReadonlySet<string> = new Set(["invalid_code", "mfa_required", "invalid_totp"]);
