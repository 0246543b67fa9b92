/** The database, as Kysely sees it. Times are milliseconds since the epoch. */
export interface Tables {
  avatars: AvatarsTable;
}

/** One row for each hash that ever had an avatar; without one now, only its version is left. */
export interface AvatarsTable {
  hash: string;
  version: number;
  kind: "designed" | "uploaded" | null;
  updated_at: number | null;
  /** A `SavedImage` as JSON. */
  image: string | null;
}
