export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every time zone that the browser knows. */
export const allZones = (): string[] => [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])];

/** `Europe/Berlin` as people write it. */
export const zoneName = (zone: string): string => zone.replaceAll("_", " ");
