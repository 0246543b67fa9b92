import { type DestinationStream, type Logger, pino } from "pino";
import type { Settings } from "./settings.ts";

export type Log = Logger;

/** Places where a secret would stand if someone logged a request or a configuration whole. */
const SECRET_PLACES = [
  ...["cookie", "authorization", "password", "secret", "token"].flatMap((name) => [
    name,
    `*.${name}`,
    `*.headers.${name}`,
  ]),
  // Codes that were mailed. Not `*.code`: an error's code (ECONNREFUSED, 23505) says what went wrong.
  "code",
  "body.code",
  "*.body.code",
];

/** Structured lines on standard output; settings that are marked secret are never shown. */
export function createLog(options: {
  service: string;
  level: string;
  settings: Settings;
  to?: DestinationStream;
}): Log {
  const secretSettings = Object.entries(options.settings)
    .filter(([, setting]) => setting.secret)
    .flatMap(([name]) => [name, `*.${name}`]);
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      redact: { paths: [...SECRET_PLACES, ...secretSettings], censor: "[hidden]" },
    },
    options.to ?? pino.destination({ sync: true }),
  );
}
