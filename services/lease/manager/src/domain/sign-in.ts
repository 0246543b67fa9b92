import { createHash } from "node:crypto";
import type { Clock } from "@frontdesk/kit/clock";
import { refuse } from "./codes.ts";
import type { Role } from "./role.ts";
import type { Desk, Session, SessionTimes, Token, User } from "./rows.ts";

const HOUR_MS = 3_600_000;
/** Nobody has used it for so long: it ends. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_LIFE_MS = 7 * 24 * HOUR_MS;
/** Of one account: a program that signs in again and again must not fill the database. */
export const MAX_SESSIONS = 50;
/** Not at every request: it is only for knowing when a session was last used. */
const SEEN_EVERY_MS = 5 * 60_000;

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/**
 * What wrong passwords are counted by: where they come from, one account from there, and one account from everywhere.
 * The last has the widest bound: others must not be able to lock somebody out.
 */
export type Attempt = keyof typeof MAX_ATTEMPTS;

/** Wrong passwords within an hour. */
export const MAX_ATTEMPTS = { sign_in_network: 60, sign_in_account: 20, sign_in_account_anywhere: 500 };

/** Counts attempts within the hour; where that would be too many, counts nothing and answers how many seconds to wait. */
export interface Attempts {
  consume(what: Attempt, key: string): Promise<number | undefined>;
  giveBack(what: Attempt, key: string): Promise<void>;
}

/** Who asks: a person with a session, or a program with a token. */
export interface Principal {
  /** For the audit log. */
  readonly actor: string;
  readonly role: Role;
  readonly user: User | undefined;
  /** The user, or the one at the root of the token. */
  readonly rootUserId: string;
  readonly tokenId: string | undefined;
  readonly sessionId: string | undefined;
}

export interface SignInParts {
  readonly desk: Desk;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  /** Unguessable. */
  readonly newSecret: () => string;
  /** Called within the transaction that begins the session. */
  readonly onSignedIn?: (username: string) => void;
  /** That a session or a token is in use could not be written. */
  readonly onUnmarked?: (error: unknown) => void;
}

/** Only its hash is kept. */
export const hashOf = (secret: string) => createHash("sha256").update(secret).digest("base64url");

/**
 * When sessions were begun and last used that are open now. One that begins further ahead than it may be idle was begun
 * before the clock was set right: it would last until the clock is there again. A smaller step signs nobody out.
 */
const openTimes = (now: number): SessionTimes => ({
  createdFrom: now - SESSION_LIFE_MS,
  createdTo: now + SESSION_IDLE_MS,
  seenFrom: now - SESSION_IDLE_MS,
});

export const isSessionOpen = ({ createdAt, seenAt }: Session, now: number) => {
  const { createdFrom, createdTo, seenFrom } = openTimes(now);
  return createdAt >= createdFrom && createdAt <= createdTo && seenAt >= seenFrom;
};

export const isTokenOpen = ({ expiresAt }: Token, now: number) => expiresAt === null || now < expiresAt;

/** People sign in with a password and have a session; programs have tokens. */
export function createSignIn(parts: SignInParts) {
  const { desk, clock, passwords, attempts, newSecret } = parts;
  /** Verified where there is no such user: a wrong name takes as long as a wrong password. */
  const nobody = passwords.hash(newSecret());

  const keysOf = (name: string, network: string): Array<[Attempt, string]> => [
    ["sign_in_network", network],
    ["sign_in_account", `${name} ${network}`],
    ["sign_in_account_anywhere", name],
  ];

  const giveBack = async (keys: Array<[Attempt, string]>) => {
    await Promise.all(keys.map(([what, key]) => attempts.giveBack(what, key)));
  };

  /** All or none: what is refused was not looked at, and may be right. */
  const count = async (keys: Array<[Attempt, string]>) => {
    for (const [index, [what, key]] of keys.entries()) {
      try {
        const wait = await attempts.consume(what, key);
        if (wait !== undefined) refuse("too_many_attempts", wait);
      } catch (error) {
        await giveBack(keys.slice(0, index));
        throw error;
      }
    }
  };

  /**
   * Writes that something is in use, beside the request it is used for: also where nothing can be written, people may look
   * why.
   */
  const marking = new Set<string>();
  const mark = (id: string, write: Parameters<typeof desk.write>[0]) => {
    if (marking.has(id)) return;
    marking.add(id);
    void desk
      .write(write)
      .catch((error) => parts.onUnmarked?.(error))
      .finally(() => marking.delete(id));
  };

  const withPassword = async (name: string, password: string): Promise<User | undefined> => {
    const known = await desk.read.users.named(name);
    const isRight = await passwords.verify(known?.passwordHash ?? (await nobody), password);
    return isRight ? known : undefined;
  };

  /** Whose password it is. Wrong ones are counted: right ones are not, nor those that could not be looked at. */
  const check = async (username: string, password: string, network: string): Promise<User> => {
    const name = username.toLowerCase();
    const keys = keysOf(name, network);
    await count(keys);
    let isWrong = false;
    try {
      const user = await withPassword(name, password);
      isWrong = !user;
      return user ?? refuse("sign_in_failed");
    } finally {
      if (!isWrong) await giveBack(keys);
    }
  };

  return {
    check,

    /** Begins a session; answers with what the cookie is to hold. */
    signIn: async (
      username: string,
      password: string,
      network: string,
    ): Promise<{ secret: string; user: User }> => {
      const known = await check(username, password, network);
      const secret = newSecret();
      const now = clock.now();
      const user = await desk.write(async ({ users, sessions, audit }) => {
        // Removed, or given another password, while this one was being checked.
        const current = await users.find(known.id);
        if (current?.passwordHash !== known.passwordHash) return refuse("sign_in_failed");
        await users.put({ ...current, lastSignInAt: now });
        await sessions.keepOnly(openTimes(now));
        // Room is made before: those begun while the clock was ahead are newer than this one.
        await sessions.keepNewestOf(current.id, MAX_SESSIONS - 1);
        await sessions.put({ id: hashOf(secret), userId: current.id, createdAt: now, seenAt: now });
        await audit.add({
          at: now,
          actor: current.username,
          action: "sign_in",
          subject: null,
          details: null,
        });
        // Before the transaction of a factory reset that follows: what that keeps is another admin's.
        parts.onSignedIn?.(current.username);
        return current;
      });
      return { secret, user };
    },

    signOut: (sessionId: string) => desk.write(({ sessions }) => sessions.remove(sessionId)),

    /** Whose cookie it is; undefined when the session has ended. The role is the one the user has now. */
    ofSession: async (secret: string): Promise<Principal | undefined> => {
      const id = hashOf(secret);
      const now = clock.now();
      const session = await desk.read.sessions.find(id);
      if (!session || !isSessionOpen(session, now)) return undefined;
      const user = await desk.read.users.find(session.userId);
      if (!user) return undefined;
      if (now - session.seenAt > SEEN_EVERY_MS) mark(id, ({ sessions }) => sessions.seen(id, now));
      const { username: actor, role } = user;
      return { actor, role, user, rootUserId: user.id, tokenId: undefined, sessionId: id };
    },

    ofToken: async (secret: string): Promise<Principal | undefined> => {
      const token = await desk.read.tokens.byHash(hashOf(secret));
      const now = clock.now();
      if (!token || !isTokenOpen(token, now)) return undefined;
      if (now - (token.lastUsedAt ?? 0) > SEEN_EVERY_MS)
        mark(token.id, ({ tokens }) => tokens.used(token.id, now));
      const { id: tokenId, name, role, rootUserId } = token;
      return { actor: `token ${name}`, role, user: undefined, rootUserId, tokenId, sessionId: undefined };
    },
  };
}

export type SignIn = ReturnType<typeof createSignIn>;
