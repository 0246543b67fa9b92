const END = /\r\n?|\n/g;

/** A text as an editor has it, whose lines end as on Unix. */
export const unixLines = (text: string): string => text.replaceAll(END, "\n");

/** An edited text, each line of which ends as it did before; a new one as the one above it. */
export function withLineEnds(edited: string, before: string): string {
  const ends = before.match(END) ?? [];
  if (ends.every((end) => end === "\n")) return edited;
  const [lines, old] = [edited.split("\n"), before.split(END)];
  const shorter = Math.min(lines.length, old.length);
  let same = 0;
  while (same < shorter && lines[same] === old[same]) same++;
  // The lines behind the edit are counted from the end of the text.
  let below = 0;
  while (below < shorter - same && lines.at(-1 - below) === old.at(-1 - below)) below++;
  let end = ends[0];
  const ended = lines.map((line, at) => {
    const isBelow = at >= lines.length - below;
    const was = isBelow ? at + old.length - lines.length : at;
    if (isBelow || at < old.length - below) end = ends[was] ?? end;
    return at < lines.length - 1 ? line + end : line;
  });
  return ended.join("");
}
