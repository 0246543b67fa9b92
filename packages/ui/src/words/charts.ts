export const t = {
  of: (label: string, value: string, value2: string) => `${label}: ${value} of ${value2}`,
  nothingMeasuredYet: "Nothing measured yet.",
  asATable: (label: string) => `${label}, as a table`,
  time: "Time",
  noValue: "no value",
} as const;
