import { isTable, type TomlTable, type TomlValue } from "@frontdesk/lease-config/toml-text";
import { versionOf } from "./config-version.ts";

/** What a reservation says, in whichever order the file says it. */
export const reservationVersion = (reservation: TomlTable): string =>
  versionOf(JSON.stringify(ordered(reservation)));

function ordered(value: TomlValue): TomlValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isTable(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, ordered(each)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
