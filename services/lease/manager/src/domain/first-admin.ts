import type { Users } from "./users.ts";

/** Where there is nobody yet, the user admin. Answers with its password if that was made here. */
export async function firstAdmin(
  users: Users,
  given: string | undefined,
  makePassword: () => string,
): Promise<string | undefined> {
  if ((await users.list()).length > 0) return undefined;
  const password = given ?? makePassword();
  await users.add("first start", "admin", password, "admin");
  return given === undefined ? password : undefined;
}
