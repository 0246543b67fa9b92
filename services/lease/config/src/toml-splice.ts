/** Text in place of other text. Lines of it end with \n, whatever the document has. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Whether it may follow another insertion at the same place. */
  readonly joins?: boolean;
}

type Part = Splice & { readonly edit: number };

/**
 * Applies edits that were planned on the same text, each whole or not at all: of two that concern the same place the
 * later one is left out.
 */
export function applySplices(text: string, edits: ReadonlyArray<readonly Splice[]>): string {
  let parts = edits
    .flatMap((splices, edit) => splices.map((splice): Part => ({ ...splice, edit })))
    .sort((a, b) => a.from - b.from || a.to - b.to || a.edit - b.edit);
  for (let left = conflicting(parts); left.size > 0; left = conflicting(parts)) {
    parts = parts.filter(({ edit }) => !left.has(edit));
  }
  const newline = /\r?\n/.exec(text)?.[0] ?? "\n";
  const pieces: string[] = [];
  let at = 0;
  for (const part of parts) {
    pieces.push(text.slice(at, part.from), part.text.replaceAll("\n", newline));
    at = part.to;
  }
  return pieces.join("") + text.slice(at);
}

/** Edits that concern the same place as an earlier one; parts are in the order of the text. */
function conflicting(parts: readonly Part[]): Set<number> {
  const later = new Set<number>();
  /** The part that reaches farthest, and the insertions right before. */
  let reaching: Part | undefined;
  let insertions: Part[] = [];
  for (const part of parts) {
    // Of insertions that join each other, one stands for all.
    const near = isInsertion(part) ? insertions.slice(-1) : insertions;
    for (const other of reaching ? [reaching, ...near] : near)
      if (overlaps(other, part)) later.add(Math.max(part.edit, other.edit));
    if (!reaching || part.to > reaching.to) reaching = part;
    if (!isInsertion(part) || insertions[0]?.from !== part.from) insertions = [];
    if (isInsertion(part)) insertions.push(part);
  }
  return later;
}

const isInsertion = ({ from, to }: Part) => from === to;

/** What is inserted beside text that goes, or beside another insertion, may belong to it. */
function overlaps(first: Part, second: Part): boolean {
  if (first.edit === second.edit) return false;
  if (isInsertion(first) && isInsertion(second)) {
    return first.from === second.from && !(first.joins && second.joins);
  }
  const touches = isInsertion(first) || isInsertion(second);
  return touches ? second.from <= first.to : second.from < first.to;
}
