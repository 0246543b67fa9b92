import {
  accessSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { folderOwner } from "@frontdesk/kit/folder-owner";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { keepCapabilities, renounceNewPrivileges, setCapabilities } from "./libc.ts";

interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface DropOptions {
  /** The user to become; undefined: the owner of `ownedBy`. */
  readonly runAs: string | undefined;
  /** The state folder, or the nearest above it that this start did not make itself. */
  readonly ownedBy: string;
  /** The files that name it. */
  readonly runAsSources: readonly string[];
  /** The service's folder, those that this start made above it, and the engine's inside it. */
  readonly folders: readonly string[];
  /** Names of folders inside the engine's that are its own, too. */
  readonly inner: readonly string[];
  /** Undefined: it is still to be written. */
  readonly configPath: string | undefined;
  /** A file of the program: the packet thread loads its own after the drop. */
  readonly programPath: string;
  /** Whether interfaces may have to be opened again. */
  readonly servesInterfaces: boolean;
  readonly log: Pick<Log, "info" | "warn">;
}

/**
 * Started as root, the process becomes another user once its sockets are open; it must run before
 * any other thread does. Of root's capabilities it keeps those that reopening an interface takes.
 * Answers whether it has become another user.
 */
export function dropPrivileges(options: DropOptions): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = options.folders.at(-1) as string;
  const user = options.runAs === undefined ? ownerOf(options.ownedBy) : userNamed(options.runAs);
  if (options.runAs !== undefined) {
    for (const path of options.runAsSources) requireNobodyElse(path, user);
  }
  if (user.uid === 0) {
    options.log.warn(
      { folder },
      "running as root: name another user in [server] run_as, or let one own the state folder",
    );
    if (options.servesInterfaces) renounceNewPrivileges();
    return false;
  }
  for (const each of options.folders) takeOver(each, user, each === folder ? options.inner : []);
  if (options.servesInterfaces) keepCapabilities();
  process.setgroups?.([user.gid]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
  if (options.servesInterfaces) {
    setCapabilities(["NET_BIND_SERVICE", "NET_ADMIN", "NET_RAW"]);
    renounceNewPrivileges();
  }
  const { name } = user;
  requireAccess(folder, constants.R_OK | constants.W_OK | constants.X_OK, name);
  if (options.configPath !== undefined) requireAccess(options.configPath, constants.R_OK, name);
  requireAccess(options.programPath, constants.R_OK, name);
  options.log.info({ user: name }, "dropped privileges");
  return true;
}

/** A folder and those above it up to another, which is left out; the folder alone when that is the other. */
export function foldersBelow(top: string, folder: string): string[] {
  const above = dirname(folder);
  return folder === top || above === top || above === folder
    ? [folder]
    : [...foldersBelow(top, above), folder];
}

/** The main thread serves HTTP and needs none of what the packet thread has inherited. */
export function dropCapabilities(): void {
  if (process.platform === "linux") setCapabilities([]);
}

/**
 * A file that names the user to become, and its folder, must be writable by root and by that user alone: anyone else
 * who could write there would choose whose rights the engine has.
 */
export function requireNobodyElse(path: string, user: Pick<User, "uid" | "gid">): void {
  for (const each of [path, dirname(path)]) {
    const { uid, gid, mode } = statSync(each);
    const others = [
      uid !== 0 && uid !== user.uid && `user ${nameOf(uid)}`,
      (mode & 0o020) !== 0 && gid !== 0 && gid !== user.gid && `group ${gid}`,
      // Where the sticky bit is set, everyone may add files and nobody may replace another's.
      (mode & 0o002) !== 0 && (mode & 0o1000) === 0 && "everyone",
    ].filter((other) => other !== false);
    if (others.length === 0) continue;
    throw new StartProblem(
      `[server] run_as is refused: ${each} can be written by ${others.join(" and ")}, who could name any user there. Give it to root, or to the user that it names.`,
    );
  }
}

function requireAccess(path: string, mode: number, name: string): void {
  try {
    accessSync(path, mode);
  } catch {
    throw new StartProblem(
      `The user "${name}" that the engine becomes cannot use ${path}: give it the file and a way to it, or name another user in [server] run_as.`,
    );
  }
}

/**
 * Gives a folder, the files in it and those of the inner folders that are named to the user. Everything is opened without following links, and listed and
 * opened through the folder's own descriptor: who may write into the folder must not choose what else changes hands.
 */
export function takeOver(
  folder: string,
  { uid, gid }: Pick<User, "uid" | "gid">,
  inner: readonly string[] = [],
): void {
  let directory: number;
  try {
    directory = openSync(folder, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      `${folder} cannot be given to the user that the engine becomes (${code}): it must be a folder, and no link to one.`,
    );
  }
  try {
    fchownSync(directory, uid, gid);
    const inside = `/proc/self/fd/${directory}`;
    for (const entry of readdirSync(inside, { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isFile()) takeOverFile(path, uid, gid);
      else if (entry.isDirectory() && inner.includes(entry.name)) takeOver(path, { uid, gid });
    }
  } finally {
    closeSync(directory);
  }
}

function takeOverFile(path: string, uid: number, gid: number): void {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Gone meanwhile, or a link now: not ours to give away.
    return;
  }
  try {
    const { nlink } = fstatSync(file);
    // A second name for a file of someone else's is a link, too.
    if (nlink === 1) fchownSync(file, uid, gid);
  } finally {
    closeSync(file);
  }
}

function ownerOf(folder: string): User {
  const { uid, gid } = folderOwner(folder);
  return { uid, gid, name: nameOf(uid) };
}

const nameOf = (uid: number) => passwd().find((entry) => entry.uid === uid)?.name ?? String(uid);

function userNamed(name: string): User {
  const user = passwd().find((entry) => entry.name === name);
  if (user) return user;
  throw new StartProblem(`There is no user "${name}" on this machine: name another one in [server] run_as.`);
}

function passwd(): User[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
