import type { Desk, Rows } from "./rows.ts";
import type { Users } from "./users.ts";

/** The user admin, not kept yet. */
export interface NewAdmin {
  put(rows: Rows): Promise<void>;
  /** If it was made here. */
  readonly password: string | undefined;
}

export async function newAdmin(
  users: Pick<Users, "prepare" | "put">,
  given: string | undefined,
  makePassword: () => string,
): Promise<NewAdmin> {
  const password = given ?? makePassword();
  const user = await users.prepare("admin", password, "admin");
  return {
    put: (rows) => users.put(rows, "first start", user),
    password: given === undefined ? password : undefined,
  };
}

/** Where there is nobody yet, the user admin. Answers with its password if that was made here. */
export async function firstAdmin(desk: Desk, prepare: () => Promise<NewAdmin>): Promise<string | undefined> {
  if ((await desk.read.users.all()).length > 0) return undefined;
  const admin = await prepare();
  await desk.write(admin.put);
  return admin.password;
}
