import type { Project } from "../shapes.ts";

export interface NewTodo {
  readonly text: string;
  readonly projectId: string | null;
}

/** `Move to the new office` is meant by `#move-to-the-new-office`, and by any beginning that is no other project's. */
export const hashOf = (name: string): string =>
  name
    .toLocaleLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

const HASH = /(?:^|\s)#([\p{L}\p{N}][\p{L}\p{N}-]*)/u;

/** What a line says: its text, and the project that it names. A `#` that names none stays part of the text. */
export function parseTodo(line: string, projects: readonly Project[]): NewTodo {
  const found = HASH.exec(line);
  const wanted = found?.[1]?.toLocaleLowerCase();
  const project = wanted === undefined ? undefined : projectOf(wanted, projects);
  if (!found || !project) return { text: line.trim(), projectId: null };
  const text = `${line.slice(0, found.index)} ${line.slice(found.index + found[0].length)}`;
  return { text: text.replace(/\s+/g, " ").trim() || line.trim(), projectId: project.id };
}

function projectOf(wanted: string, projects: readonly Project[]): Project | undefined {
  const open = projects.filter(({ archived }) => !archived);
  const exact = open.find(({ name }) => hashOf(name) === wanted);
  const beginning = open.filter(({ name }) => hashOf(name).startsWith(wanted));
  return exact ?? (beginning.length === 1 ? beginning[0] : undefined);
}

/** Each pasted line that says something is one; list marks that came along from elsewhere are left out. */
export const pastedLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^\s*(?:[-*•]|\[[ x]?\]|\d+[.)])\s+/i, "").trim())
    .filter(Boolean);
