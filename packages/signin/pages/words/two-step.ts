export const t = {
  afterTheCodeFromTheMail:
    "After the code from the mail you are also asked for one from an app on your phone.",
  twoStepSignIn: "Two-step sign-in",
  on: "On",
  off: "Off",
  turnItOn: "Turn it on",
  qrCodeForTheAuthenticator: "QR code for the authenticator app",
  scanThisWithAnAuthenticator:
    "Scan this with an authenticator app (any will do), then type the code that it shows. Cannot scan? Give the app this key:",
  theKey: "the key",
  cancel: "Cancel",
  codeFromTheApp: "Code from the app",
  leaveWithoutTheRecoveryCodes: "Leave without the recovery codes?",
  theyAreShownOnlyNowWithout:
    "They are shown only now. Without them and without your phone you cannot sign in.",
  leave: "Leave",
  frontdeskRecoveryCodesEach: (text: string) => `Frontdesk recovery codes, each good once:\n\n${text}\n`,
  keepTheseRecoveryCodes: "Keep these recovery codes",
  withoutYourPhoneOneOfThese:
    "Without your phone, one of these lets you in. Each works once. They are shown only now.",
  recoveryCodes: "Recovery codes",
  theRecoveryCodes: "the recovery codes",
  copy: "Copy",
  download: "Download",
  iHaveKeptThem: "I have kept them",
  twoStepSignInIsOff: "Two-step sign-in is off.",
  noRecoveryCodesAreLeftTurn: "No recovery codes are left. Turn it off and on again to get new ones.",
  recoveryCodesAreLeft: { one: "# recovery code is left.", other: "# recovery codes are left." },
  turnItOff: "Turn it off",
  keepItOn: "Keep it on",
  authenticatorOrRecoveryCode: "Authenticator or recovery code",
} as const;
