import { isIP } from "node:net";
import { StartProblem } from "@frontdesk/kit/problem";
import { choices, integer, list, listen, optional, type Settings, text } from "@frontdesk/kit/settings";
import { VIAS } from "./domain/found-printer.ts";
import { DEFAULT_LIMITS, type Limits } from "./domain/limits.ts";

const MEBI = 1024 * 1024;

/** A limit, its setting, and how far it may be moved. */
const LIMIT_SETTINGS: ReadonlyArray<[limit: keyof Limits, name: string, max: number, about: string]> = [
  ["frameBytes", "PRINT_LIMIT_FRAME_BYTES", 64 * MEBI, "The largest frame of the protocol."],
  ["payloadBytes", "PRINT_LIMIT_PAYLOAD_BYTES", 32 * MEBI, "The most data in one job."],
  ["copies", "PRINT_LIMIT_COPIES", 9_999, "The most copies of one job."],
  ["labelsPerRequest", "PRINT_LIMIT_LABELS", 5_000, "The most labels of one template request."],
  ["requestsPerSecond", "PRINT_LIMIT_REQUESTS", 100_000, "Requests a second on one connection."],
  ["burst", "PRINT_LIMIT_BURST", 100_000, "Requests at once on one connection after a quiet time."],
  [
    "authFailuresPerMinute",
    "PRINT_LIMIT_AUTH_FAILURES",
    1_000,
    "Wrong tokens of one origin within a minute.",
  ],
  [
    "jobsWaiting",
    "PRINT_LIMIT_WAITING",
    100_000,
    "Jobs that wait for one printer, with those that it or its spooler has and has not ended.",
  ],
  [
    "bytesWaiting",
    "PRINT_LIMIT_WAITING_BYTES",
    1024 * 1024 * MEBI,
    "The data of all jobs that have not ended, for all printers together.",
  ],
  ["voids", "PRINT_LIMIT_VOIDS", 100, "Labels of one job that may be voided while encoding."],
];

const limitSettings = Object.fromEntries(
  LIMIT_SETTINGS.map(([limit, name, max, about]) => [
    name,
    integer({ about, min: 1, max, fallback: String(DEFAULT_LIMITS[limit]) }),
  ]),
);

export const printSettings = {
  PRINT_LISTEN: listen({
    about: "Where the bridge listens, for wss and ws, https and http alike.",
    fallback: "127.0.0.1:31075",
  }),
  PRINT_HOSTS: list({
    about: "Names, beside the loopback ones, under which the bridge may be reached.",
    fallback: "",
  }),
  PRINT_CONFIG: optional(
    text({
      about: "A JSON file of printers, templates and origins that are set up at each start: for fleets.",
    }),
  ),
  PRINT_LICENSE_KEY: optional(text({ about: "A PEM file: the public key that licenses are checked with." })),
  PRINT_POLL_MS: integer({
    about: "How often a printer that works is asked how it fares.",
    min: 5,
    max: 60_000,
    fallback: "250",
  }),
  PRINT_WATCH_MS: integer({
    about: "How often a printer at rest is asked how it fares.",
    min: 5,
    max: 3_600_000,
    fallback: "5000",
  }),
  PRINT_CONNECT_MS: integer({
    about: "How long a printer may take to take a connection.",
    min: 5,
    max: 60_000,
    fallback: "3000",
  }),
  PRINT_READ_MS: integer({
    about: "How long a printer may take to answer.",
    min: 5,
    max: 60_000,
    fallback: "2000",
  }),
  PRINT_HANG_UP_MS: integer({
    about: "How long a printer without feedback may take to hang up after a job before only its bytes count.",
    min: 5,
    max: 3_600_000,
    fallback: "90000",
  }),
  PRINT_GIVE_UP_MS: integer({
    about: "How long the first job of a queue waits for a printer that cannot be reached before it fails.",
    min: 0,
    max: 604_800_000,
    fallback: "600000",
  }),
  PRINT_RECOVER_MS: integer({
    about:
      "How long a printer may be away, or wait for the end of a label, before a job that was under way is given up; and how long it must be idle after a break before nothing is said to have been printed.",
    min: 0,
    max: 604_800_000,
    fallback: "30000",
  }),
  PRINT_REPRINT_BYTES: integer({
    about:
      "How much data of jobs that have ended is kept, to print them again. With 0 it is dropped at their end.",
    min: 0,
    max: 1024 * MEBI,
    fallback: String(32 * MEBI),
  }),
  PRINT_DISCOVERY_MS: integer({
    about: "How long printers are looked for.",
    min: 100,
    max: 60_000,
    fallback: "4000",
  }),
  PRINT_DISCOVERY_WAYS: choices({
    about: "By which ways printers are looked for.",
    of: VIAS,
    fallback: VIAS.join(","),
  }),
  PRINT_DISCOVERY_INTERFACES: list({
    about: "The network interfaces on which printers are looked for. All of them, unless some are named.",
    fallback: "",
  }),
  PRINT_DISCOVERY_LIMIT: integer({
    about: "The most printers that one search lists.",
    min: 1,
    max: 5_000,
    fallback: "200",
  }),
  ...(limitSettings as Record<string, ReturnType<typeof integer>>),
} satisfies Settings;

const HOST_NAME = /^[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9][a-z0-9-]{0,62})*$/i;

/** A certificate is made for each host, so each has to be one: a name, or an address in its plain form. */
export function assertHosts(hosts: readonly string[]): void {
  const isHost = (host: string) =>
    host.length <= 253 && (isIP(host) === 0 ? HOST_NAME.test(host) : !/%|:.*\./.test(host));
  const odd = hosts.find((host) => !isHost(host));
  if (odd === undefined) return;
  throw new StartProblem(
    `PRINT_HOSTS has "${odd}"; it must be names or addresses like labels.example.org or 10.0.0.5, without port.`,
  );
}

export function limitsFrom(values: Readonly<Record<string, unknown>>): Limits {
  const chosen = LIMIT_SETTINGS.map(([limit, name]) => [limit, values[name]]);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(chosen) };
}

/** The settings as they are in force, each in the words of the environment, for the administrator to read. */
export function settingsInForce(values: Readonly<Record<string, unknown>>) {
  const inWords = (value: unknown): string => {
    if (value === undefined) return "";
    if (Array.isArray(value)) return value.join(",");
    if (typeof value === "object") {
      const { host, port } = value as { host: string; port: number };
      return `${host}:${port}`;
    }
    return String(value);
  };
  return Object.entries(printSettings as Settings).map(([name, { about, fallback = "", secret }]) => {
    const value = inWords(values[name]);
    return { name, value: secret && value ? "(set)" : value, about, changed: value !== fallback };
  });
}
