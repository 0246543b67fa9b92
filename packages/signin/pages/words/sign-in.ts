export const t = {
  useAnotherAddress: "Use another address",
  signIn: "Sign in",
  typeYourEMailAddressAnd: "Type your e-mail address and we will mail you a code. There is no password.",
  mailMeACode: "Mail me a code",
  eMailAddress: "E-mail address",
  checkYourMail: "Check your mail",
  codeFromTheMail: "Code from the mail",
  expiredYouCan: "Expired? You can ",
  nothingThereLookInTheSpam: "Nothing there? Look in the spam folder, or ",
  aNewCodeIsOnIts: "A new code is on its way.",
  sendANewCode: "send a new code",
  oneMoreStep: "One more step",
  openYourAuthenticatorAppAnd:
    "Open your authenticator app and type the code it shows for this site. Without the phone, a recovery code will do.",
  authenticatorOrRecoveryCode: "Authenticator or recovery code",
  theCodeIsInTheOutbox:
    "This server sends no mail. The six-digit code for {address} lies as a file in its outbox folder, {outbox} under FRONTDESK_HOME: whoever runs it can read it to you. It is good for ten minutes.",
  weSentACode: "We sent a six-digit code to {address}. It is good for ten minutes.",
  exampleAddress: "you@example.org",
} as const;
