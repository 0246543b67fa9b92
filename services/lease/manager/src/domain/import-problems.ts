/** What can be wrong with a row of an import. */
export const IMPORT_PROBLEMS = [
  "bad_ip",
  "bad_identifier",
  "bad_enabled",
  "too_long",
  "too_many_cells",
  "no_identifier",
  "ip_twice",
  "no_subnet",
  "identifier_taken",
] as const;
export type ImportProblem = (typeof IMPORT_PROBLEMS)[number];
/** What a row does. */
export const IMPORT_ACTIONS = ["add", "change", "same", "conflict"] as const;
export type ImportAction = (typeof IMPORT_ACTIONS)[number];
