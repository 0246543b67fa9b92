import { existsSync, lstatSync, mkdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StartProblem } from "./problem.ts";

/**
 * Whose a folder is, where root is to become that user. Whoever can put a link on the way to it must not choose by that
 * whose rights the service has, root's, say: a link there is root's, or belongs to the owner of the folder.
 */
export function folderOwner(folder: string): { readonly uid: number; readonly gid: number } {
  const links = new Map<string, number>();
  const { uid, gid } = lstatSync(behindLinks(resolve(folder), links));
  for (const [link, maker] of links) {
    if (maker === 0 || maker === uid) continue;
    throw new StartProblem(
      `${link} is a link of user ${maker}, who is neither root nor the owner of the folder it leads to: put a folder there.`,
    );
  }
  return { uid, gid };
}

/**
 * Makes a folder, and those above it that are missing, as mkdir(1) does with `-p`; answers with the first that it made. Root
 * makes none where the link of somebody else leads.
 */
export function makeFolder(folder: string): string | undefined {
  if (process.getuid?.() === 0 && !existsSync(folder)) folderOwner(nearest(folder));
  return mkdirSync(folder, { recursive: true, mode: 0o700 });
}

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));

/** Where a path leads, level by level; notes each link and who made it. */
function behindLinks(path: string, links: Map<string, number>): string {
  const above = dirname(path);
  if (above === path) return path;
  const here = join(behindLinks(above, links), basename(path));
  const found = lstatSync(here);
  if (!found.isSymbolicLink()) return here;
  links.set(here, found.uid);
  return behindLinks(resolve(dirname(here), readlinkSync(here)), links);
}
