export const t = {
  contents: "Contents",
} as const;
