export const t = {
  sure: "Are you sure?",
  hardToTakeBack: "This is hard to take back. To go on, type these words:",
  typeTheWords: "The words",
  cancel: "Cancel",
  goOn: "Go on",
} as const;
