import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { lockFile } from "@frontdesk/kit/lock-file";

/**
 * A SQLite file has one copy of a service; commands work beside it. Several copies share a PostgreSQL
 * database. Answers what lets go of the file.
 */
export function oneServicePerFile(service: string, url: URL): () => void {
  if (url.protocol !== "file:") return () => {};
  const path = fileURLToPath(url);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return lockFile(
    `${path}.lock`,
    `Another ${service} service uses ${path}: stop it, set FRONTDESK_HOME to another folder, or share a PostgreSQL database.`,
  );
}
