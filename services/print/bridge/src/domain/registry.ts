import { type Static, Type } from "typebox";
import type { AuditLog } from "./audit.ts";
import { Language, type PrinterRecord } from "./printer.ts";

export const Rights = Type.Object(
  { raw: Type.Boolean(), templates: Type.Boolean(), rfid: Type.Boolean() },
  { additionalProperties: false },
);
export type Rights = Static<typeof Rights>;

export const ALL_RIGHTS: Rights = { raw: true, templates: true, rfid: true };

/** A web origin and what it may do. */
export const OriginRecord = Type.Object(
  {
    origin: Type.String({ maxLength: 300 }),
    state: Type.Enum(["approved", "denied"]),
    /** Which printers it may use and under which names; none named means all, by their own ids. */
    aliases: Type.Optional(Type.Record(Type.String(), Type.String())),
    rights: Rights,
    /** Whether it may do without a token: for machines that only one application uses. */
    open: Type.Boolean(),
    createdAt: Type.Integer(),
    /** The codes of pages that were let in, the newest last: each may fetch its token, once, while it asks. */
    admitted: Type.Optional(
      Type.Array(
        Type.Object({ code: Type.String(), expiresAt: Type.Integer() }, { additionalProperties: false }),
      ),
    ),
    /** What earlier versions kept of those codes, without an end; it lets nobody in. */
    codes: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);
export type OriginRecord = Static<typeof OriginRecord>;

export const TemplateRecord = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" }),
    name: Type.String({ minLength: 1, maxLength: 120 }),
    language: Language,
    dpmm: Type.Integer({ minimum: 6, maximum: 24 }),
    body: Type.String({ minLength: 1, maxLength: 1024 * 1024 }),
    version: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type TemplateRecord = Static<typeof TemplateRecord>;

export interface TemplateVersion {
  readonly template: TemplateRecord;
  /** Unknown for those that were saved before versions were kept. */
  readonly savedAt: number | undefined;
}

export interface TokenRecord {
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string;
  readonly origin: string;
  readonly createdAt: number;
}

/** A browser in which the administrator is signed in. */
export interface SessionRecord {
  readonly hash: string;
  /** The hash of what its page has to show as well, where it was opened with such a key. */
  readonly pageKey?: string;
  /** The hash of the administrator's token that it was opened with. */
  readonly token?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The records of one kind. */
export interface Table<T> {
  get(id: string): T | undefined;
  /** How often the record was written since it was made. */
  version(id: string): number | undefined;
  /** Grows when a record is removed, and is kept for the next of that name: it tells the two apart. */
  generation(id: string): number;
  all(): T[];
  put(id: string, value: T): void;
  remove(id: string): boolean;
}

/** What the administrator decided. Others may write it too, so it is looked up each time. */
export interface Registry {
  readonly printers: Table<PrinterRecord>;
  readonly templates: Table<TemplateRecord>;
  readonly origins: Table<OriginRecord>;
  readonly tokens: Table<TokenRecord>;
  /** When each token was last used, by its hash. Apart from it: a use must not bring back one that was revoked. */
  readonly tokenUses: Table<number>;
  readonly sessions: Table<SessionRecord>;
  readonly settings: Table<string>;
  /** What templates were before, also those that were removed: the newest first, and not without end. */
  readonly templateVersions: {
    add(template: TemplateRecord, savedAt: number): void;
    of(id: string): TemplateVersion[];
  };
  readonly audit: AuditLog;
  /** Keeps all that is written meanwhile, or nothing where it throws. */
  together<T>(work: () => T): T;
  /** Changes whenever anything was written, by this process or another. */
  revision(): number;
}
