import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { sql } from "kysely";
import type { AvatarUnderTest } from "./avatar-under-test.ts";

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The addresses of all objects in a store's folder, whoever may know of them. The S3 server's files go by theirs, and more. */
export function storedAddresses(folder: string): string[] {
  const addresses = filesBelow(folder).flatMap((file) => /^[0-9a-f]{64}/.exec(basename(file))?.[0] ?? []);
  return [...new Set(addresses)].sort();
}

/** Every row of every table, as text. */
export async function everyRow({ copies }: AvatarUnderTest): Promise<string[]> {
  const read = copies[0]?.store.read;
  if (!read) return [];
  const texts: string[] = [];
  for (const { name } of await read.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(read);
    texts.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return texts;
}

/** Everything that stands in the database, also what a file may still hold of the past. */
export async function databaseBytes(desk: AvatarUnderTest): Promise<Buffer> {
  if (desk.env.AVATAR_DATABASE_URL) return Buffer.from((await everyRow(desk)).join("\n"));
  const files = ["", "-wal"].map((end) => join(desk.home, `avatar.db${end}`)).filter(existsSync);
  return Buffer.concat(files.map((file) => readFileSync(file)));
}
