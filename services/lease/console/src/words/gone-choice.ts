export const t = {
  gone: (name: string) => `${name} (gone)`,
} as const;
