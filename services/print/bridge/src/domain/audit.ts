import { type Static, Type } from "typebox";

/** Everything that is written down of what an administrator, a page that was let in or a file changes. */
export const AUDIT_ACTIONS = [
  "printer.added",
  "printer.changed",
  "printer.removed",
  "printer.tested",
  "template.saved",
  "template.restored",
  "template.removed",
  "template.printed",
  "origin.approved",
  "origin.changed",
  "origin.denied",
  "origin.revoked",
  "pairing.admitted",
  "pairing.dismissed",
  "token.issued",
  "token.revoked",
  "job.reprinted",
  "license.installed",
  "trust.added",
  "trust.removed",
  "trust.key_discarded",
  "session.opened",
  "session.closed",
] as const;
export const AuditAction = Type.Enum(AUDIT_ACTIONS);
export type AuditAction = Static<typeof AuditAction>;

/** What comes before the dot: all actions of one kind. */
export const AuditKind = Type.Enum([
  "printer",
  "template",
  "origin",
  "pairing",
  "token",
  "job",
  "license",
  "trust",
  "session",
]);
export type AuditKind = Static<typeof AuditKind>;

/**
 * Who changes something: a signed-in browser, a program with the administrator's token, a user of the machine on the
 * command line, the file that PRINT_CONFIG names, a page that fetches its token, or the bridge at its first start.
 */
export type Actor = `session:${string}` | "token" | `cli:${string}` | "config" | "page" | "bridge";

export interface NewAuditEntry {
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What was changed, by its id: a printer, a template, an origin, a job. */
  readonly subject: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditSearch {
  /** An action, or all of one kind. */
  readonly action?: AuditAction | AuditKind | undefined;
  /** A part of who did it or of what was changed. */
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Where an earlier page ended. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next: number | undefined;
  readonly total: number;
}

/** Who changed what and when. An entry is added in the transaction of its change. */
export interface AuditLog {
  add(entry: NewAuditEntry): void;
  /** Newest first. */
  search(query: AuditSearch): AuditPage;
}

/** Who writes, and when. */
export interface Author {
  readonly actor: Actor;
  readonly at: number;
}

/** The fields of a record that differ, with what they were and what they are. */
export function differences(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  const [one, other] = [before, after] as Array<Record<string, unknown>>;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(one?.[name]) !== JSON.stringify(other?.[name]))
      .map((name) => [name, { from: one?.[name] ?? null, to: other?.[name] ?? null }]),
  );
}
