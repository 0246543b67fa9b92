export const t = {
  useIt: "Use it",
  yourFaceHasAPublicAddress:
    "Your face has a public address. Paste it wherever a picture goes: when you change your face, it changes there too.",
  forPagesAndDocuments: "For pages and documents",
  yourFace: "Your face",
  yourAddress: "Your address",
  size: "Size",
  forProgramsThatKnowGravatar: "For programs that know Gravatar or Libravatar",
  giveThemThisAddressInPlace: "Give them this address in place of theirs, and let them use SHA-256.",
  theBaseAddress: "the base address",
  link: "Link",
  html: "HTML",
  markdown: "Markdown",
  pixels: { one: "# pixel", other: "# pixels" },
} as const;
