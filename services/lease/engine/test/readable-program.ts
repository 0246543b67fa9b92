import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");
let program: string | undefined;

/**
 * The repository under a path that every user may enter: a checkout below /root is closed to the user that the
 * engine becomes. Where it is closed, it is bound to a second place for as long as this process lives.
 */
export function readableProgram(): string {
  program ??= isOpenToAll(repository) ? repository : boundElsewhere();
  return program;
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return path === "/" || isOpenToAll(dirname(path));
}

function boundElsewhere(): string {
  const place = mkdtempSync(join(tmpdir(), "frontdesk-program-"));
  chmodSync(place, 0o755);
  execFileSync("mount", ["--bind", repository, place]);
  process.on("exit", () => {
    execFileSync("umount", ["--lazy", place]);
    rmdirSync(place);
  });
  return place;
}

/** What the test files share of compiled code, by the path of a repository that is the same one: paths in it are relative. */
export function compileCacheOf(place: string): string | undefined {
  const shared = process.env.NODE_COMPILE_CACHE;
  return shared && join(place, relative(repository, shared));
}
