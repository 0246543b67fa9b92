export const t = {
  theGuideOfThisRelease: "The guide of the release that runs here.",
  contents: "Contents",
} as const;
