export const t = {
  auditLog: "Audit log",
  whoChangedWhatNewestFirst: "Who changed what, newest first. The newest 20,000 entries are kept.",
  changes: "Changes",
  show: "Show",
  everything: "Everything",
  search: "Search",
  whoOrWhat: "A browser, a user, a printer, a template, an origin",
  theFirstOneShowsUpHere: "What is changed from now on shows up here by itself.",
  when: "When",
  who: "Who",
  what: "What",
  detail: "Detail",
  theJob: "The job",
  none: "none",
  all: "all",
  yes: "yes",
  no: "no",
  fromTo: (from: string, to: string) => `${from} → ${to}`,
  labelled: (label: string, value: string) => `${label}: ${value}`,
} as const;

/** Kinds of changes, to show those alone. */
export const KINDS = {
  printer: "Printers",
  template: "Templates",
  origin: "Origins",
  pairing: "Pages that asked",
  token: "Tokens",
  job: "Jobs",
  license: "License",
  trust: "Certificate",
  session: "Sign-ins",
} as const;

export const ACTIONS: Readonly<Record<string, string>> = {
  "printer.added": "Printer added",
  "printer.changed": "Printer changed",
  "printer.removed": "Printer removed",
  "printer.tested": "Test label printed",
  "template.saved": "Template saved",
  "template.restored": "Template brought back",
  "template.removed": "Template removed",
  "template.printed": "Template printed to try it",
  "origin.approved": "Origin let in",
  "origin.changed": "Origin changed",
  "origin.denied": "Origin refused",
  "origin.revoked": "Origin revoked",
  "pairing.admitted": "Browser let in",
  "pairing.dismissed": "Page sent away",
  "token.issued": "Token issued",
  "token.revoked": "Token revoked",
  "job.reprinted": "Job printed again",
  "license.installed": "License installed",
  "trust.added": "Certificate trusted",
  "trust.removed": "Certificate no longer trusted",
  "trust.key_discarded": "Authority's key thrown away",
  "session.opened": "Signed in",
  "session.closed": "Signed out",
};

/** What the parts of a detail are called; one that is not here is shown by its own name. */
export const DETAILS: Readonly<Record<string, string>> = {
  same_as: "the same as version",
  expires_at: "ends",
  key_discarded: "key thrown away",
  widthMm: "width in mm",
  heightMm: "height in mm",
  cut: "too long to be kept",
};

const ACTORS: Readonly<Record<string, (name: string) => string>> = {
  session: (name) => `Browser ${name}`,
  token: () => "A program with the administrator's token",
  cli: (name) => `${name}, on the command line`,
  config: () => "The file of PRINT_CONFIG",
  page: () => "The page itself",
  bridge: () => "The bridge, at its first start",
};

/** `session:1a2b3c4d` in words. */
export function actorInWords(actor: string): string {
  const [kind = "", ...name] = actor.split(":");
  return Object.hasOwn(ACTORS, kind) ? (ACTORS[kind]?.(name.join(":")) ?? actor) : actor;
}
