export const t = {
  template: "Template",
  shortName: "Short name",
  madeFor: "Made for",
  madeForIt: (language: string, dpmm: number) => `${language}, ${dpmm} dots per mm`,
  placeholders: "Placeholders",
  none: "none",
  version: "Version",
  templates: "Templates",
  labelsWithPlacesToFillIn:
    "Labels with places to fill in. A page names the template and the values; the bridge does the rest.",
  newTemplate: "New template",
  storedTemplates: "Stored templates",
  noTemplatesYet: "No templates yet",
  startOneYouSeeWhatIt: "Start one; you see what it prints while you write it.",
} as const;
