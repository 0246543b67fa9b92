export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Every time zone that the browser knows, to choose from, and the one that is chosen: browsers spell some otherwise than
 * who has chosen them (`Asia/Calcutta`, `Asia/Kolkata`).
 */
export const zoneChoices = (chosen: string | null): ReadonlyArray<{ value: string; label: string }> =>
  [...new Set([...(chosen === null ? [] : [chosen]), ...Intl.supportedValuesOf("timeZone"), "UTC"])].map(
    (zone) => ({ value: zone, label: zoneName(zone) }),
  );

/** `Europe/Berlin` as people write it. */
export const zoneName = (zone: string): string => zone.replaceAll("_", " ");
