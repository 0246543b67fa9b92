import type { Desk, Rows } from "./rows.ts";
import type { Passwords } from "./sign-in.ts";
import type { Users } from "./users.ts";

const NAME = "admin";

/**
 * The password of admin that was made here, kept until admin signs in: where it was told, it may have been lost with a
 * connection, or with a start that failed afterwards.
 */
export interface FirstPassword {
  read(): string | undefined;
  keep(password: string): void;
  remove(): void;
}

/** The user admin, not kept yet. */
export interface NewAdmin {
  put(rows: Rows): Promise<void>;
  /** If it was made here. */
  readonly password: string | undefined;
}

export interface FirstAdminParts {
  readonly desk: Desk;
  readonly users: Pick<Users, "prepare" | "put">;
  readonly passwords: Pick<Passwords, "verify">;
  readonly firstPassword: FirstPassword;
  /** What the settings say. */
  readonly given: string | undefined;
  readonly makePassword: () => string;
}

export function createFirstAdmin(parts: FirstAdminParts) {
  const { desk, users, passwords, firstPassword, given, makePassword } = parts;

  const prepare = async (): Promise<NewAdmin> => {
    const password = given ?? makePassword();
    const user = await users.prepare(NAME, password, "admin");
    return {
      put: async (rows) => {
        // Before it is in force: one that is kept and not in force is found out, the other way round it would be lost.
        if (given === undefined) firstPassword.keep(password);
        await users.put(rows, "first start", user);
      },
      password: given === undefined ? password : undefined,
    };
  };

  return {
    prepare,

    /** Where there is nobody yet, makes the user admin. Answers with its password if it was made here and nobody has used it. */
    make: async (): Promise<string | undefined> => {
      if ((await desk.read.users.all()).length === 0) {
        const admin = await prepare();
        await desk.write(admin.put);
        return admin.password;
      }
      const password = firstPassword.read();
      if (password === undefined) return undefined;
      const admin = await desk.read.users.named(NAME);
      const isUnused = admin?.lastSignInAt === null;
      if (isUnused && (await passwords.verify(admin.passwordHash, password))) return password;
      firstPassword.remove();
      return undefined;
    },

    /** Whoever signs in as admin knows the password. */
    hasSignedIn: (username: string): void => {
      if (username === NAME) firstPassword.remove();
    },
  };
}
