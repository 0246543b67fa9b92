import type { Project } from "../shapes.ts";

export interface NewTodo {
  readonly text: string;
  readonly projectId: string | null;
}

const SIGN = String.raw`\p{L}\p{N}\p{M}`;
const BETWEEN = new RegExp(`[^${SIGN}]+`, "gu");
/** Signs of which a name may consist alone, as an emoji does: the parts of one are joined by U+200D. */
const HASH = new RegExp(String.raw`(?:^|\s)#([${SIGN}\p{So}\p{Sk}][${SIGN}\p{So}\p{Sk}\u200d-]*)`, "gu");

/** `Move to the new office` is meant by `#move-to-the-new-office`, and by any beginning that is no other project's. */
export function hashOf(name: string): string {
  const lower = name.normalize().trim().toLocaleLowerCase();
  return lower.replace(BETWEEN, "-").replace(/^-|-$/g, "") || lower.replace(/\s+/g, "-");
}

/** What a line says: its text, and the first project that it names. A `#` that names none stays part of the text. */
export function parseTodo(line: string, projects: readonly Project[]): NewTodo {
  for (const found of line.matchAll(HASH)) {
    const [project, another] = meantBy(found[1] ?? "", projects);
    if (!project || another) continue;
    const text = `${line.slice(0, found.index)} ${line.slice(found.index + found[0].length)}`;
    return { text: text.replace(/\s+/g, " ").trim() || line.trim(), projectId: project.id };
  }
  return { text: line.trim(), projectId: null };
}

/** The name that a line calls several projects by, so that it goes to none of them. */
export function sharedNameIn(line: string, projects: readonly Project[]): string | undefined {
  for (const found of line.matchAll(HASH)) {
    const [project, another] = meantBy(found[1] ?? "", projects);
    if (project && another && hashOf(project.name) === hashOf(another.name)) return project.name;
  }
  return undefined;
}

/** The projects whose name is this; where there is none, those whose names begin so. */
function meantBy(words: string, projects: readonly Project[]): readonly Project[] {
  const wanted = hashOf(words);
  const open = projects.filter(({ archived }) => !archived);
  const exact = open.filter(({ name }) => hashOf(name) === wanted);
  return exact.length > 0 ? exact : open.filter(({ name }) => hashOf(name).startsWith(wanted));
}

/** Each pasted line that says something is one; list marks that came along from elsewhere are left out. */
export const pastedLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^\s*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[ x]?\]\s+)?/i, "").trim())
    .filter(Boolean);
