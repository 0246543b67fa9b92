import type { Role } from "./role.ts";
import type { KeptRollout } from "./rollout.ts";

export interface User {
  readonly id: string;
  readonly username: string;
  readonly role: Role;
  /** Argon2id. */
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

export interface Session {
  /** SHA-256 of what the cookie holds. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

export interface SessionTimes {
  readonly createdFrom: number;
  readonly createdTo: number;
  readonly seenFrom: number;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token. */
  readonly hash: string;
  /** Its name, to be shown: names of tokens are not unique, and those of users can be given again. */
  readonly createdBy: string;
  /** The user who made it, or the first of the tokens that it was made with. */
  readonly rootUserId: string;
  /** The token that made it; null where the user did. */
  readonly madeWith: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string | null;
  readonly details: string | null;
}

/** A configuration that ran. */
export interface ConfigVersion {
  readonly id: number;
  readonly version: string;
  readonly at: number;
  readonly actor: string;
  readonly text: string;
}

/** What the manager keeps, within one transaction. */
export interface Rows {
  readonly users: {
    all(): Promise<User[]>;
    find(id: string): Promise<User | undefined>;
    named(username: string): Promise<User | undefined>;
    put(user: User): Promise<void>;
    remove(id: string): Promise<void>;
  };
  readonly sessions: {
    put(session: Session): Promise<void>;
    find(id: string): Promise<Session | undefined>;
    seen(id: string, now: number): Promise<void>;
    remove(id: string): Promise<void>;
    removeOf(userId: string, except?: string): Promise<void>;
    keepOnly(times: SessionTimes): Promise<void>;
    keepNewestOf(userId: string, many: number): Promise<void>;
  };
  readonly tokens: {
    all(): Promise<Token[]>;
    byHash(hash: string): Promise<Token | undefined>;
    put(token: Token): Promise<void>;
    used(id: string, now: number): Promise<void>;
    remove(id: string): Promise<boolean>;
  };
  readonly audit: {
    add(entry: Omit<AuditEntry, "id">): Promise<void>;
    /** Newest first, before a number. */
    page(before: number | undefined, limit: number): Promise<AuditEntry[]>;
    /** The newest that has these details. */
    newestWith(details: string): Promise<AuditEntry | undefined>;
    removeBefore(at: number): Promise<void>;
  };
  readonly versions: {
    add(version: Omit<ConfigVersion, "id">): Promise<void>;
    newest(): Promise<ConfigVersion | undefined>;
    find(id: number): Promise<ConfigVersion | undefined>;
    /** Newest first, without their texts. */
    list(limit: number): Promise<Array<Omit<ConfigVersion, "text">>>;
    keepNewest(many: number): Promise<void>;
  };
  /** The rollout that is under way. */
  readonly rollout: {
    load(): Promise<KeptRollout | undefined>;
    save(rollout: KeptRollout | undefined): Promise<void>;
  };
  /** Removes everything. */
  clear(): Promise<void>;
}

/** `write` resolves when everything that its work did is on disk. */
export interface Desk {
  readonly read: Rows;
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}
