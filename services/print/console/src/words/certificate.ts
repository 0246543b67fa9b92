export const t = {
  takeTheTrustBack: "Take the trust back?",
  pagesOnThisMachineCanThen: "Pages on this machine can then no longer print over an encrypted connection.",
  takeItBack: "Take it back",
  certificate: "Certificate",
  pagesSpeakToTheBridgeOver:
    "Pages speak to the bridge over an encrypted connection. Browsers allow that once they trust the bridge's certificate.",
  inThisBrowser: "In this browser",
  looking: "Looking …",
  trusted: "Trusted",
  thisBrowserTrustsTheBridge: "This browser trusts the bridge. Pages can print.",
  notTrustedYet: "Not trusted yet",
  pagesOfThisBrowserCannotPrint:
    "Pages of this browser cannot print over an encrypted connection yet. Install the certificate below, then restart the browser.",
  installItOnThisMachine: "Install it on this machine",
  theAuthorityWasMadeOnThis: "The authority was made on this machine, and its key never leaves it.",
  forTheBrowsersOfThisAccount: "For the browsers of this account",
  forTheWholeMachine: "For the whole machine",
  whatWasDone: "What was done",
  downloadTheCertificate: "download the certificate",
  theCertificate: "The certificate",
  theAuthoritysFingerprintSha: "The authority's fingerprint (SHA-256)",
  theFingerprint: "the fingerprint",
  withItsOwnRights:
    "The bridge does this with the rights it runs with. Where those do not suffice, run {command} as an administrator, or {download} and install it by hand.",
  goodUntil: (authority: string, until: string, own: string) =>
    `${authority}, good until ${until}. The bridge's own certificate is good until ${own} and is renewed by itself.`,
  forTheNames: (names: string) => `For the names ${names}.`,
} as const;
