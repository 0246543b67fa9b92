import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import { type Author, assertStillAllowed, type RemoteAuthor } from "./author.ts";
import { refuse } from "./codes.ts";
import { isAllowed, type Role } from "./role.ts";
import type { Desk, Rows, Token, User } from "./rows.ts";
import { hashOf, type Passwords } from "./sign-in.ts";

export const MIN_PASSWORD = 10;
export const MAX_USERNAME = 64;
export const USERNAME = "^[A-Za-z0-9]([A-Za-z0-9._@-]*[A-Za-z0-9])?$";
const MAX_TOKENS = 200;
/** RFC 3339 section 1 writes years with four digits. */
const MAX_TOKEN_END = Date.UTC(10_000, 0, 1) - 1;

export interface UserParts {
  readonly desk: Desk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly passwords: Passwords;
  readonly newSecret: () => string;
}

/** What a token made, and what those made in turn. */
const madeWith = (all: Token[], id: string): Token[] =>
  all.filter((token) => token.madeWith === id).flatMap((token) => [token, ...madeWith(all, token.id)]);

/** Of two ends the one that comes first; null is none. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Accounts of people, and tokens of programs. Each change is in the audit log with who made it. */
export function createUsers({ desk, clock, ids, passwords, newSecret }: UserParts) {
  const hashed = (password: string) =>
    password.length < MIN_PASSWORD ? refuse("weak_password") : passwords.hash(password);

  const told = (rows: Rows, actor: string, action: string, subject: string, details?: string) =>
    rows.audit.add({ at: clock.now(), actor, action, subject, details: details ?? null });

  /** Somebody must be left who can let others in. */
  const assertAdminLeft = async (rows: Rows, without: string) => {
    const others = (await rows.users.all()).filter(({ id, role }) => id !== without && role === "admin");
    if (others.length === 0) refuse("last_admin");
  };

  const endTokens = async (rows: Rows, actor: string, tokens: Token[]) => {
    for (const { id, name } of tokens) {
      if (await rows.tokens.remove(id)) await told(rows, actor, "token_remove", id, name);
    }
  };

  /** What somebody may not do any more, the tokens that go back to them may not do either. */
  const endTokensOf = async (rows: Rows, actor: string, userId: string, role: Role | undefined) => {
    const all = await rows.tokens.all();
    const theirs = all.filter(({ rootUserId }) => rootUserId === userId);
    const ended = theirs.filter((token) => role === undefined || !isAllowed(role, token.role));
    await endTokens(rows, actor, [...ended, ...ended.flatMap(({ id }) => madeWith(all, id))]);
  };

  /** An account that is not kept yet. */
  const prepare = async (username: string, password: string, role: Role): Promise<User> => {
    if (username.length > MAX_USERNAME || !new RegExp(USERNAME).test(username)) refuse("bad_username");
    return {
      id: ids.next(),
      username: username.toLowerCase(),
      role,
      passwordHash: await hashed(password),
      createdAt: clock.now(),
      lastSignInAt: null,
    };
  };

  const put = async (rows: Rows, actor: string, user: User) => {
    if (await rows.users.named(user.username)) refuse("user_exists");
    await rows.users.put(user);
    await told(rows, actor, "user_add", user.username, user.role);
  };

  /** Whoever gets another password is signed out everywhere, but for the session that changed it. */
  const setPassword = async (rows: Rows, author: Author, user: User, passwordHash: string) => {
    await rows.users.put({ ...user, passwordHash });
    await rows.sessions.removeOf(user.id, "sessionId" in author ? author.sessionId : undefined);
    await told(rows, author.actor, "user_password", user.username);
  };

  return {
    list: () => desk.read.users.all(),
    prepare,
    put,

    add: async (author: Author, username: string, password: string, role: Role): Promise<User> => {
      const user = await prepare(username, password, role);
      return desk.write(async (rows) => {
        await assertStillAllowed(rows, author, clock.now());
        await put(rows, author.actor, user);
        return user;
      });
    },

    change: async (
      author: Author,
      username: string,
      change: { readonly role?: Role | undefined; readonly password?: string | undefined },
    ): Promise<User> => {
      const { actor } = author;
      const passwordHash = change.password === undefined ? undefined : await hashed(change.password);
      return desk.write(async (rows) => {
        await assertStillAllowed(rows, author, clock.now());
        const user = (await rows.users.named(username.toLowerCase())) ?? refuse("user_not_found");
        const next = { ...user, role: change.role ?? user.role };
        if (user.role === "admin" && next.role !== "admin") await assertAdminLeft(rows, user.id);
        await rows.users.put(next);
        await endTokensOf(rows, actor, user.id, next.role);
        if (next.role !== user.role) await told(rows, actor, "user_role", user.username, next.role);
        if (passwordHash) await setPassword(rows, author, next, passwordHash);
        return next;
      });
    },

    /** One's own; `known` is the user whose old password was checked. */
    changePassword: async (author: RemoteAuthor, known: User, password: string): Promise<void> => {
      const passwordHash = await hashed(password);
      await desk.write(async (rows) => {
        await assertStillAllowed(rows, author, clock.now());
        const user = await rows.users.find(author.rootUserId);
        // Given another password meanwhile: the one that was checked is the old one.
        if (user?.passwordHash !== known.passwordHash) return refuse("sign_in_failed");
        await setPassword(rows, author, user, passwordHash);
      });
    },

    remove: (author: Author, username: string): Promise<void> =>
      desk.write(async (rows) => {
        const { actor } = author;
        await assertStillAllowed(rows, author, clock.now());
        const user = (await rows.users.named(username.toLowerCase())) ?? refuse("user_not_found");
        if (user.role === "admin") await assertAdminLeft(rows, user.id);
        await rows.users.remove(user.id);
        await rows.sessions.removeOf(user.id);
        await endTokensOf(rows, actor, user.id, undefined);
        await told(rows, actor, "user_remove", user.username);
      }),

    tokens: () => desk.read.tokens.all(),

    /** The token itself is told this once. */
    addToken: async (
      author: RemoteAuthor,
      name: string,
      role: Role,
      expiresAt: number | null,
    ): Promise<{ token: Token; secret: string }> => {
      const { actor, rootUserId, tokenId } = author;
      const now = clock.now();
      if (expiresAt !== null && expiresAt <= now) refuse("token_expired_already");
      if (expiresAt !== null && expiresAt > MAX_TOKEN_END) refuse("token_ends_too_late");
      const secret = `fdlease_${newSecret()}`;
      const wanted: Token = {
        id: ids.next(),
        name,
        role,
        hash: hashOf(secret),
        createdBy: actor,
        rootUserId,
        madeWith: tokenId ?? null,
        createdAt: now,
        expiresAt,
        lastUsedAt: null,
      };
      const token = await desk.write(async (rows) => {
        await assertStillAllowed(rows, author, clock.now());
        const all = await rows.tokens.all();
        const maker = all.find(({ id }) => id === tokenId);
        if (all.length >= MAX_TOKENS) refuse("too_many_tokens");
        const made = { ...wanted, expiresAt: earlier(expiresAt, maker?.expiresAt ?? null) };
        await rows.tokens.put(made);
        await told(rows, actor, "token_add", name, role);
        return made;
      });
      return { token, secret };
    },

    /** With it ends what it made. */
    removeToken: (author: Author, id: string): Promise<void> =>
      desk.write(async (rows) => {
        await assertStillAllowed(rows, author, clock.now());
        const all = await rows.tokens.all();
        const revoked = all.find((token) => token.id === id) ?? refuse("token_not_found");
        await endTokens(rows, author.actor, [revoked, ...madeWith(all, id)]);
      }),
  };
}

export type Users = ReturnType<typeof createUsers>;
