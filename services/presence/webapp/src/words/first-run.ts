export const t = {
  presence: "Presence",
  makeYourOrganisation: "Make your organisation",
  thisLinkWorksOnce:
    "This link works once. You become its first administrator, and sign in by a code that is mailed to you.",
  nameOfTheOrganisation: "Name of the organisation",
  exampleOrganisation: "Example & Sons",
  yourEMailAddress: "Your e-mail address",
  exampleAddress: "you@example.org",
  yourName: "Your name",
  defaultStatus: "Status of everybody who has set none",
  timeZone: "Time zone",
  make: "Make it",
  checkingTheLink: "Checking the link",
  theLinkIsNotValid: "This link does not work",
  itWasUsedOrMistyped:
    "It was used already, or it is not whole. If there is no organisation yet, the service prints a new one when it starts.",
  toSignIn: "To sign in",
  isMade: (name: string) => `${name} is made`,
  nowSignIn: "Sign in with your address to go on.",
  signIn: "Sign in",
} as const;
